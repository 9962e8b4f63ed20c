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
	limits         Limits

	maxOverviewPlays int64

	OnDamage func(Damage) // called for damaged segments; set before the first report
}

// New returns the service. Statistics read through reads, exports through exports, whose size
// bounds how many run at once. An instance has one service: its limits count all surfaces together.
func New(reads, exports *postgres.DB, limits Limits) *Service {
	return &Service{
		reads:            reads,
		exports:          exports,
		limits:           limits,
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
}

// ErrGroupNotFound says that there is no such group, or that it is another organisation's.
var ErrGroupNotFound = apperr.New(apperr.NotFound,
	"No such group. Owners and admins find the ids of groups in Settings, Organisation.")

// Report is an open report: its header is known, and no play is read. It holds a connection until it
// is closed. The zero Report holds none.
type Report struct {
	Header

	snap     *snapshot
	admitted admission
}

// Open opens the report on a fork, on all players or on a group. Between it and Statistics the
// caller authorises the read of the group by the header, and it closes the report. hold is called
// with each lease of memory that the figures and an answer made of them take: the caller releases it
// when the answer is sent, whether there is an error or not.
// Errors: ErrGroupNotFound where no organisation has the group, apperr.Unavailable with RetryAfter.
func (s *Service) Open(
	ctx context.Context, q Query, hold func(*fairshare.Lease),
) (*Report, error) {
	snap, admitted, err := s.openAdmitted(ctx, q, hold)
	if err != nil {
		return nil, err
	}
	return &Report{snap.meta.header(), snap, admitted}, nil
}

// Close releases the connection. It may be called again, and for a report that was not opened.
func (r *Report) Close() {
	if r != nil && r.snap != nil {
		r.snap.close()
	}
}

// Statistics returns the figures of an open report under the rules of anonymity, and closes it.
// Errors: ErrGroupNotFound for a group of another organisation, apperr.Unavailable with RetryAfter.
func (s *Service) Statistics(ctx context.Context, r *Report) (stats Statistics, err error) {
	defer r.Close()
	err = r.snap.read(ctx, func() error {
		labels := r.admitted.labelBudget(r.snap.meta.lastOrdinal)
		return r.snap.withoutDamaged(ctx, func() (err error) {
			stats, err = newStatisticsReader(r.snap, labels).read(ctx)
			return err
		})
	})
	s.markDamaged(ctx, r.snap)
	return stats, err
}

// Header returns the header of a report that is not read. Errors: those of Open.
func (s *Service) Header(ctx context.Context, q Query) (Header, error) {
	admitted, err := s.limits.admitSmall(ctx, q.OrganisationID)
	if err != nil {
		return Header{}, err
	}
	defer admitted.lease.Release()
	snap, err := openSnapshot(ctx, s.reads, q, false)
	if err != nil {
		return Header{}, err
	}
	defer snap.close()
	return snap.meta.header(), nil
}
