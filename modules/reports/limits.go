package reports

import "dg/platform/limit"

// How many reports an instance computes at once, and how many of one organisation. The OpenAPI
// document and /docs state these bounds.
const (
	MaxReports               = 6
	MaxReportsOfOrganisation = 3
)

func newLimiter() *limit.Limiter {
	return limit.New(limit.Options{
		Max:    MaxReports,
		PerKey: MaxReportsOfOrganisation,
		Busy:   "Too many reports are being computed.",
	})
}

// Limiters returns the limiter by the name of the work, for metrics.
func (s *Service) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"reports": s.limiter}
}
