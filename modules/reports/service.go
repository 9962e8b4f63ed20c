package reports

import (
	"context"

	"dg/platform/apperr"
	"dg/platform/fairshare"
	"dg/platform/postgres"
)

// Service computes reports.
type Service struct {
	reads, exports *postgres.DB // apart, so that exports and statistics do not starve one another
	limits         limits

	maxOverviewPlays int64

	OnDamage func(Damage) // called for damaged segments; set before the first report
}

// New returns the service. Statistics read through reads, exports through exports, whose size
// bounds how many run at once. An instance has one service: its limits count all surfaces together.
func New(reads, exports *postgres.DB) *Service {
	return &Service{
		reads:            reads,
		exports:          exports,
		limits:           newLimits(reads),
		maxOverviewPlays: maxOverviewPlays,
		OnDamage:         func(Damage) {},
	}
}

// Query selects a report. The caller has checked that the fork is the organisation's.
type Query struct {
	OrganisationID, ForkID string
	Period                 Period
	GroupID                string // "": all players
	TotalsOnly             bool   // without days, players and skills: no label is read
	// the caller lists the players (Statistics.Players): more memory is admitted for it
	Rows bool
	// Position is what the report has to see: a replica that has it may be read from. The zero
	// value asks the primary.
	Position postgres.Position
	// MayReadGroup decides about the group's owner before a play is read; its error is the
	// report's. nil: not asked.
	MayReadGroup func(organisationID string) error
}

// ErrGroupNotFound says that the organisation has no such group.
var ErrGroupNotFound = apperr.New(apperr.NotFound,
	"No such group. Owners and admins find the ids of groups in Settings, Organisation.")

// Statistics returns the figures of the fork over the period, for all players or for a group, under
// the rules of anonymity. hold is called with each lease of memory that they and an answer made of
// them take: the caller releases it when the answer is sent, whether there is an error or not.
// Errors: ErrGroupNotFound, apperr.Unavailable with RetryAfter.
func (s *Service) Statistics(
	ctx context.Context, q Query, hold func(*fairshare.Lease),
) (stats Statistics, err error) {
	snap, admitted, err := s.openAdmitted(ctx, q, hold)
	if err != nil {
		return Statistics{}, err
	}
	defer snap.close()
	err = snap.read(ctx, func() error {
		labels := admitted.labelBudget(snap.meta.lastOrdinal)
		return snap.withoutDamaged(ctx, func() (err error) {
			stats, err = newStatisticsReader(snap, labels).read(ctx)
			return err
		})
	})
	s.markDamaged(ctx, snap)
	return stats, err
}

// Suppressed reports whether k-anonymity hides the report, without computing it. Errors:
// ErrGroupNotFound, apperr.Unavailable with RetryAfter.
func (s *Service) Suppressed(ctx context.Context, q Query) (bool, error) {
	admitted, err := s.limits.admitSmall(ctx, q.OrganisationID)
	if err != nil {
		return false, err
	}
	defer admitted.lease.Release()
	snap, err := openSnapshot(ctx, s.reads, q, false)
	if err != nil {
		return false, err
	}
	defer snap.close()
	return snap.meta.suppressed(), nil
}
