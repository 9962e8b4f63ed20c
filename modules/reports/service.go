package reports

import (
	"context"

	"dg/modules/reports/snapshot"
	"dg/platform/postgres"
)

// Service computes reports.
type Service struct {
	db     *postgres.DB
	limits limits

	maxOverviewPlays int64

	OnDamage func(Damage) // called for damaged segments; set before the first report
}

// New returns the service. An instance has one, so that its limits hold for API and screens
// together.
func New(db *postgres.DB) *Service {
	return &Service{
		db:               db,
		limits:           newLimits(),
		maxOverviewPlays: maxOverviewPlays,
		OnDamage:         func(Damage) {},
	}
}

type (
	// Query selects a report.
	Query = snapshot.Query
	// Header is known before a play is read.
	Header = snapshot.Header
	// Period is a range of UTC days, both included.
	Period = snapshot.Period
	// Damage is a damaged segment.
	Damage = snapshot.Damage
)

// MaxPeriodDays is the longest period, both days included.
const MaxPeriodDays = snapshot.MaxPeriodDays

// ErrGroupNotFound says that the group does not exist or is another organisation's.
var ErrGroupNotFound = snapshot.ErrGroupNotFound

// ParsePeriod reads the first and the last day of a period. An empty text counts as missing.
// Errors: apperr.Validation with the field.
func ParsePeriod(from, to string) (Period, error) { return snapshot.ParsePeriod(from, to) }

// Report is an open report, of which no play is read. It holds a connection until it is closed.
type Report struct {
	Header

	snap    *snapshot.Snapshot
	release func() // of the place
}

// Open opens the report on a fork, on all its players or on one group. The caller then authorises
// reading the group, whose owner is in Report.Header, calls Statistics, and closes the report.
// Errors: ErrGroupNotFound where no organisation has the group, apperr.Unavailable with RetryAfter.
func (s *Service) Open(ctx context.Context, q Query) (*Report, error) {
	release, err := s.limits.acquire(ctx, q)
	if err != nil {
		return nil, err
	}
	snap, err := snapshot.Open(ctx, s.db, q, true)
	if err != nil {
		release()
		return nil, err
	}
	s.limits.isLarge.Put(q.ForkID+q.GroupID, snap.Meta.Large())
	return &Report{snap.Meta.Header(), snap, release}, nil
}

// Close releases the connection and the place. It may be called repeatedly, and on nil.
func (r *Report) Close() {
	if r != nil {
		r.snap.Close()
		r.release()
	}
}

// Statistics returns the figures of an open report under the rules of anonymity, and closes it.
// Errors: ErrGroupNotFound for a group of another organisation, apperr.Unavailable with RetryAfter.
func (s *Service) Statistics(ctx context.Context, r *Report) (stats Statistics, err error) {
	defer r.Close()
	err = r.snap.ReadWithFailover(ctx, func() error {
		return r.snap.WithoutDamaged(ctx, func() (err error) {
			stats, err = newStatisticsReader(r.snap).read(ctx)
			return err
		})
	})
	s.markDamaged(ctx, r.snap)
	return stats, err
}

// Header returns the header of a report without opening it. Errors: those of Open.
func (s *Service) Header(ctx context.Context, q Query) (Header, error) {
	release, err := s.limits.acquire(ctx, q)
	if err != nil {
		return Header{}, err
	}
	defer release()
	snap, err := snapshot.Open(ctx, s.db, q, false)
	if err != nil {
		return Header{}, err
	}
	defer snap.Close()
	return snap.Meta.Header(), nil
}

// markDamaged closes the snapshot and marks its damaged segments as dirty. If nothing can be written,
// as on a standby, each report meets the damage again, and reads the plays.
func (s *Service) markDamaged(ctx context.Context, snap *snapshot.Snapshot) {
	if len(snap.Damaged) == 0 {
		return
	}
	snap.Close() // marking takes a connection, and no report holds two
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), snapshot.AcquireTimeout)
	defer stop()
	if err := snapshot.MarkDirty(ctx, s.db.Pool, snap.Damaged, s.OnDamage); err != nil {
		for _, d := range snap.Damaged {
			s.OnDamage(d)
		}
	}
}
