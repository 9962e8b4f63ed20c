package reports

import (
	"context"

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
	LargeReport = 5_000
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
	if l.isLarge.Get(q.ForkID + q.GroupID) {
		return l.large.Acquire(ctx, q.OrganisationID)
	}
	return l.small.Acquire(ctx, q.OrganisationID)
}

// remember notes whether a report was large, for the next one on the fork or group.
func (l limits) remember(q Query, large bool) { l.isLarge.Put(q.ForkID+q.GroupID, large) }

// isLarge reports whether the statistics list many players, or read segments for a group.
func (s *snapshot) isLarge(stats Statistics) bool {
	return stats.UniquePlayers > LargeReport ||
		s.grouped() && len(s.days) > 0 && !s.Suppressed
}

// Limiters returns the limiters by the name of the work, for metrics.
func (s *Service) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"reports": s.limits.small, "large_reports": s.limits.large}
}
