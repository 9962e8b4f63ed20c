package reports

import (
	"context"
	"time"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

// Service computes reports.
type Service struct {
	reads, exports *postgres.DB // apart, so that exports and statistics do not starve one another
}

// New returns the service. Statistics read through reads, exports through exports, whose size bounds how many run at once.
func New(reads, exports *postgres.DB) *Service { return &Service{reads: reads, exports: exports} }

// Query says of what a report is asked. The fork is the organisation's: who asks has found that out.
type Query struct {
	OrganisationID, ForkID string
	Period                 Period
	GroupID                string // "": all players
}

// ErrGroupNotFound says that the organisation has no such group.
var ErrGroupNotFound = apperr.New(apperr.NotFound, "There is no such group. Check groupId, or leave it out.")

// Statistics returns the figures of the fork over the period, for all players or for a group, under the rules of
// anonymity. Errors: ErrGroupNotFound.
func (s *Service) Statistics(ctx context.Context, q Query) (Statistics, error) {
	snap, err := open(ctx, s.reads, q, true)
	if err != nil {
		return Statistics{}, err
	}
	defer snap.close()
	if snap.scope.suppressed() {
		return Statistics{Nominative: snap.scope.nominative, Suppressed: true}, nil
	}
	t := newTally(q.Period)
	switch {
	case !snap.scope.grouped:
		err = snap.fold(ctx, t)
	case snap.scope.large && len(snap.sealed.days) > 0:
		err = snap.foldGroup(ctx, t)
	default:
		err = snap.plays(ctx, []time.Time{q.Period.From}, []time.Time{q.Period.End()}, t.add)
	}
	if err != nil {
		return Statistics{}, err
	}
	labels, err := snap.labelsOf(ctx, t.players.ordinals())
	if err != nil {
		return Statistics{}, err
	}
	stats := t.statistics(func(ordinal int32) string { return string(labels.of(ordinal)) })
	stats.Nominative = snap.scope.nominative
	return stats, nil
}

// Suppressed says whether the report is withheld, without computing it. Errors: ErrGroupNotFound.
func (s *Service) Suppressed(ctx context.Context, q Query) (bool, error) {
	snap, err := open(ctx, s.reads, q, false)
	if err != nil {
		return false, err
	}
	defer snap.close()
	return snap.scope.suppressed(), nil
}
