package reports

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/platform/apperr"
	"dg/platform/limiter"
	"dg/platform/postgres"
)

// Service computes reports.
type Service struct {
	reads, exports *postgres.DB // apart, so that exports and statistics do not starve one another
	limits         limits

	OnDamage func(Damage) // called for what was found damaged; set before the first report
}

// New returns the service. Statistics read through reads, exports through exports, whose size bounds how many run at once.
// There is one in an instance: its limits are those of all surfaces together.
func New(reads, exports *postgres.DB) *Service {
	return &Service{reads: reads, exports: exports, limits: newLimits(reads), OnDamage: func(Damage) {}}
}

// Query says of what a report is asked. The fork is the organisation's: who asks has found that out.
type Query struct {
	OrganisationID, ForkID string
	Period                 Period
	GroupID                string // "": all players
}

// ErrGroupNotFound says that the organisation has no such group.
var ErrGroupNotFound = apperr.New(apperr.NotFound, "No such group. Group ids are shown on the reports screens.")

// Statistics returns the figures of the fork over the period, for all players or for a group, under the rules of
// anonymity. hold is called with the lease of what they, and an answer made of them, hold: the caller releases it when the
// answer is sent, whether there is an error or not. Errors: ErrGroupNotFound, ErrUnavailable with RetryAfter.
func (s *Service) Statistics(ctx context.Context, q Query, hold func(*limiter.Lease)) (Statistics, error) {
	snap, err := s.openAdmitted(ctx, q, hold)
	if err != nil {
		return Statistics{}, err
	}
	defer snap.close()
	if snap.scope.suppressed() {
		return Statistics{ReportingMode: snap.scope.mode, Suppressed: true}, nil
	}
	stats, err := s.undamaged(ctx, snap)
	stats.ReportingMode = snap.scope.mode
	return stats, err
}

// statistics sums what is read in one round trip, the labels too where it is known before of whom they will be: those of a
// group are few, and where the sealed days have as many plays as the organisation has players, most players are among them.
func (s *snapshot) statistics(ctx context.Context) (Statistics, error) {
	t, batch := newTally(s.query.Period), &pgx.Batch{}
	switch {
	case !s.scope.grouped:
		s.queueFold(batch, t)
	case len(s.sealed.days) > 0: // the group is a large one
		s.queueFoldGroup(batch, t)
	default:
		s.queuePlays(batch, []time.Time{s.query.Period.From}, []time.Time{s.query.Period.End()}, t.add)
	}
	var l *labels
	if s.scope.grouped || t.total.plays > int64(s.scope.players) { // of the sealed days: no play is read yet
		l = s.queueLabels(batch)
		batch.Queue("rollback")
	}
	err := s.send(ctx, batch)
	s.ended = l != nil && (err == nil || errors.Is(err, errSegment))
	if err == nil && l == nil {
		l, err = s.labelsOf(ctx, t.players.ordinals())
	}
	if err != nil {
		return Statistics{}, err
	}
	return t.statistics(l.named()), nil
}

// Suppressed says whether the report is withheld, without computing it. Errors: ErrGroupNotFound, ErrUnavailable with
// RetryAfter.
func (s *Service) Suppressed(ctx context.Context, q Query) (bool, error) {
	snap, lease, err := s.openSmall(ctx, q, false)
	defer lease.Release()
	if err != nil {
		return false, err
	}
	defer snap.close()
	return snap.scope.suppressed(), nil
}
