package reports

import (
	"context"

	"dg/modules/reports/snapshot"
	"dg/platform/limit"
)

// How many reports an instance computes at once, and how many of one organisation. The OpenAPI
// document and /docs state these bounds. A small report never waits for large ones.
const (
	MaxReports               = 6
	MaxReportsOfOrganisation = 3
	// MaxLargeReports bounds reports that list more than LargeReport players or read segments for a
	// group. Each uses a core while it runs.
	MaxLargeReports               = 2
	MaxLargeReportsOfOrganisation = 1
	// LargeReport is the maximum of players that a small report lists.
	LargeReport = snapshot.LargeReport
)

// limits admit reports.
type limits struct {
	small, large *limit.Limiter
	isLarge      *limit.Hints[bool] // whether the last report of a fork or group was large
}

func newLimits() limits {
	const busy = "Too many reports are being computed."
	return limits{
		small: limit.New(limit.Options{
			Max:    MaxReports,
			PerKey: MaxReportsOfOrganisation,
			Busy:   busy,
		}),
		large: limit.New(limit.Options{
			Max:    MaxLargeReports,
			PerKey: MaxLargeReportsOfOrganisation,
			Busy:   busy,
		}),
		isLarge: limit.NewHints[bool](),
	}
}

// acquire waits for a place of a report. The first report of a fork on an instance counts as small.
// Errors: those of Limiter.Acquire.
func (l limits) acquire(ctx context.Context, q Query) (release func(), err error) {
	for {
		from := l.small
		large := l.isLarge.Get(q.ForkID + q.GroupID)
		if large {
			from = l.large
		}
		release, err = from.Acquire(ctx, q.OrganisationID)
		if err != nil || l.isLarge.Get(q.ForkID+q.GroupID) == large {
			return release, err
		}
		release()
	}
}

// Limiters returns the limiters by the name of the work, for metrics.
func (s *Service) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"reports": s.limits.small, "large_reports": s.limits.large}
}
