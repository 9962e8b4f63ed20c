package reports

import "dg/platform/limit"

// How many reports an instance computes at once, and how many of one organisation. The OpenAPI
// document and /docs state these bounds. Large reports have places of their own, because each uses a
// core while it runs.
const (
	MaxReports                    = 6
	MaxReportsOfOrganisation      = 3
	MaxLargeReports               = 2
	MaxLargeReportsOfOrganisation = 1
)

// A large report is on more than largeReport plays, of an organisation with more players.
const largeReport = 5_000

func newLimiter(most, ofOrganisation int) *limit.Limiter {
	return limit.New(limit.Options{
		Max:    most,
		PerKey: ofOrganisation,
		Busy:   "Too many reports are being computed.",
	})
}

// Limiters returns the limiters by the name of the work, for metrics.
func (s *Service) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"reports": s.small, "large_reports": s.large}
}
