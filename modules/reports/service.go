package reports

import (
	"context"
	"errors"

	"dg/modules/reports/segment"
	"dg/platform/authz"
	"dg/platform/limit"
	"dg/platform/postgres"
)

// configs/authz_policy.csv grants these permissions.
var (
	ReadReport   = authz.Permission{Resource: "report", Action: "read"}
	ExportReport = authz.Permission{Resource: "report", Action: "export"}
)

// Service computes reports, and bounds how many run at once (Limiters).
type Service struct {
	db                         *postgres.DB
	smallReports, largeReports *limit.Limiter

	options          Options
	labelCache       *labelCache // nil unless Options.PlayerVersions
	maxOverviewPlays int64       // the constant maxOverviewPlays; tests lower it

	OnDamage func(Query, error) // called for a damaged segment; never nil; set before any report
}

// Options declares guarantees of the database. FixedPseudonyms allows a Fingerprint: a player's
// label, ordinal and organisation never change, and no play lacks its player's row. PlayerVersions
// allows cached labels: every change of players changes player_ordinals.version.
type Options struct{ FixedPseudonyms, PlayerVersions bool }

// New returns the service. An instance must have only one, because the service holds the limits.
func New(db *postgres.DB, o Options) *Service {
	s := &Service{
		db:               db,
		options:          o,
		smallReports:     newLimiter(MaxReports, MaxReportsOfOrganisation),
		largeReports:     newLimiter(MaxLargeReports, MaxLargeReportsOfOrganisation),
		maxOverviewPlays: maxOverviewPlays,
		OnDamage:         func(Query, error) {},
	}
	if o.PlayerVersions {
		s.labelCache = newLabelCache()
	}
	return s
}

// Report is an open report. It holds a connection until Statistics succeeds or Close, and a slot of
// a limiter until Close.
type Report struct {
	*snapshot
	release func() // frees the slot
}

// Open opens a report. The caller then authorises the read of the group by Report.Header, calls
// Statistics, and closes the report. Open takes a slot before it computes the Fingerprint, which
// may read many plays. Errors: ErrGroupNotFound for an unknown group, apperr.NotFound for an
// unknown organisation, apperr.Unavailable with RetryAfter if no slot becomes free.
func (s *Service) Open(ctx context.Context, q Query) (*Report, error) {
	if !q.OmitLists {
		q.labelCache = s.labelCache
	}
	r, err := s.openInSlot(ctx, s.smallReports, q)
	if err == nil && r.isLarge {
		r.Close()
		r, err = s.openInSlot(ctx, s.largeReports, q)
	}
	if err != nil {
		return nil, err
	}
	if err := s.addFingerprint(ctx, &r.snapshot); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (s *Service) openInSlot(ctx context.Context, l *limit.Limiter, q Query) (*Report, error) {
	release, err := l.Acquire(ctx, q.OrganisationID)
	if err != nil {
		return nil, err
	}
	snap, err := openSnapshot(ctx, s.db, q, true)
	if err != nil {
		release()
		return nil, err
	}
	return &Report{snap, release}, nil
}

// Close releases the connection and the slot. It may be called repeatedly and on nil.
func (r *Report) Close() {
	if r != nil {
		r.close()
		r.release()
	}
}

// Statistics returns the figures of an open report under the rules of anonymity, and releases its
// connection. If a replica fails, it reads the primary. If a segment is damaged, it reads plays
// instead of segments. In both cases the report has a new snapshot without a Fingerprint. Errors:
// ErrGroupNotFound for another organisation's group.
func (s *Service) Statistics(ctx context.Context, r *Report) (stats Statistics, err error) {
	err = s.readWithRetry(ctx, &r.snapshot, func(snap *snapshot) (err error) {
		stats, err = snap.statistics(ctx)
		return err
	})
	if err != nil {
		return Statistics{}, err
	}
	r.close()
	return stats, nil
}

func (s *Service) addFingerprint(ctx context.Context, snap **snapshot) error {
	if !s.options.FixedPseudonyms {
		return nil
	}
	return s.readWithRetry(ctx, snap, func(snap *snapshot) error { return snap.addFingerprint(ctx) })
}

// readWithRetry calls fn with the snapshot. If the replica fails or a segment is damaged, it calls
// fn again with a new snapshot. The caller closes the last snapshot, also after an error.
func (s *Service) readWithRetry(ctx context.Context, snap **snapshot, fn func(*snapshot) error) error {
	for {
		err := fn(*snap)
		if err == nil {
			return nil
		}
		if *snap, err = s.reopen(ctx, *snap, err); err != nil {
			return err
		}
	}
}

// reopen replaces a failed snapshot by one on the primary, without segments if one was damaged. On
// an error it returns the failed snapshot, for the caller to close.
func (s *Service) reopen(ctx context.Context, failed *snapshot, err error) (*snapshot, error) {
	damaged := errors.Is(err, segment.ErrDamaged)
	if !damaged && !failed.replicaFailed(ctx, err) {
		return failed, err
	}
	if damaged {
		s.OnDamage(failed.query, err)
	}
	failed.close() // the pool may have only one connection for each report
	next, err := openPrimarySnapshot(ctx, s.db, failed.query, failed.useSegments && !damaged)
	if err != nil {
		return failed, err
	}
	return next, nil
}

// These limits bound the concurrent reports. The OpenAPI document and /docs state them. Large
// reports have their own limiter, so that they do not delay small ones.
const (
	MaxReports                    = 6
	MaxReportsOfOrganisation      = 3
	MaxLargeReports               = 2
	MaxLargeReportsOfOrganisation = 1
)

// A report is small if no ordinal of the organisation's players exceeds maxSmallReport. Otherwise a
// report on all players is large if it has more than maxSmallReport plays, and a report on a group
// if largeInPlaysSQL holds.
const maxSmallReport = 5_000

func newLimiter(total, perOrganisation int) *limit.Limiter {
	return limit.New(limit.Options{
		Max:         total,
		PerKey:      perOrganisation,
		BusyMessage: "Too many reports are being computed.",
	})
}

// Limiters returns the limiters, keyed by their names in metrics.
func (s *Service) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"reports": s.smallReports, "large_reports": s.largeReports}
}
