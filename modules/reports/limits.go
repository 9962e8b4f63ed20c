package reports

import "dg/platform/limit"

// The limits of concurrent reports on an instance, in all and by organisation. The OpenAPI document
// and /docs state them. Large reports have a limiter of their own, because each keeps a core busy.
const (
	MaxReports                    = 6
	MaxReportsOfOrganisation      = 3
	MaxLargeReports               = 2
	MaxLargeReportsOfOrganisation = 1
)

// A report is large if its plays and the organisation's players both exceed largeReport.
const largeReport = 5_000

func newLimiter(total, perOrganisation int) *limit.Limiter {
	return limit.New(limit.Options{
		Max:    total,
		PerKey: perOrganisation,
		Busy:   "Too many reports are being computed.",
	})
}

// Limiters returns the limiters by the name of the work, for metrics.
func (s *Service) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"reports": s.small, "large_reports": s.large}
}
