package reports

import (
	"context"
	"time"

	"dg/platform/limiter"
	"dg/platform/postgres"
)

// How many reports an instance computes at once. Callers can meet these bounds: they are in the API's document and in the
// documentation. Small and large reports are bounded apart, so that a small one never waits for large ones.
const (
	MaxReports               = 6
	MaxReportsOfOrganisation = 3
	// MaxLargeReports is for reports that list more than LargeReport players or read the segments for a group. They take all
	// of a core for as long as they run: more at once would not be ready sooner.
	MaxLargeReports               = 2
	MaxLargeReportsOfOrganisation = 1
	// LargeReport is how many players a small report lists at most.
	LargeReport = 5_000
)

// The memory that answers hold: reports while they are computed, and their bodies until they are sent. A large body that is
// sent slowly counts for as long as it takes.
const (
	smallBytes               = 2 << 20 // of one small report at its peak
	maxSmallBytes            = 32 << 20
	maxLargeBytes            = 96 << 20
	bytesOfPlayer            = 320 // of a large report's player at its peak: sums, label, order, row and JSON
	bytesOfSegments          = 4 << 20
	tooManyReports           = "Too many reports are being computed."
	connsBesideReports int32 = 3 // of the pool: for forks and the sealer
)

// limits admit reports.
type limits struct{ small, large *limiter.Limiter }

// newLimits returns the limits over a pool. Where the pool is too small for them, they are smaller: no organisation ever
// holds all of its connections.
func newLimits(reads *postgres.DB) limits {
	spare := int(reads.Pool.Config().MaxConns - connsBesideReports)
	large := max(2, min(MaxLargeReports, spare/4))
	places := max(2, min(MaxReports, spare-large))
	return limits{
		small: limiter.New(limiter.Limits{
			Places: places, OrganisationPlaces: min(MaxReportsOfOrganisation, places/2),
			Bytes: maxSmallBytes, OrganisationBytes: maxSmallBytes / 4, Busy: tooManyReports,
		}),
		large: limiter.New(limiter.Limits{
			Places: large, OrganisationPlaces: min(MaxLargeReportsOfOrganisation, large/2),
			Bytes: maxLargeBytes, OrganisationBytes: maxLargeBytes / 2, Busy: tooManyReports,
		}),
	}
}

// AdmitForks admits the reading of an organisation's forks: they come from the connections of reports. The caller releases
// the lease. Errors: ErrUnavailable with RetryAfter.
func (s *Service) AdmitForks(ctx context.Context, organisationID string) (*limiter.Lease, error) {
	return s.limits.small.Acquire(ctx, limiter.Request{OrganisationID: organisationID, Bytes: smallBytes})
}

// KeepAnswer makes the lease of work that is done one of its large answer, until that is sent; nil: admits the answer first.
// The caller releases the lease. Errors: ErrUnavailable with RetryAfter.
func (s *Service) KeepAnswer(ctx context.Context, organisationID string, lease *limiter.Lease, bytes int) (*limiter.Lease, error) {
	if lease == nil {
		return s.limits.small.Acquire(ctx, limiter.Request{OrganisationID: organisationID, Bytes: int64(bytes)})
	}
	lease.Keep(int64(bytes))
	return lease, nil
}

// openSmall opens a snapshot as a small report's. The lease is the caller's also where the snapshot fails.
func (s *Service) openSmall(ctx context.Context, q Query, withSealed bool) (*snapshot, *limiter.Lease, error) {
	lease, err := s.limits.small.Acquire(ctx, limiter.Request{OrganisationID: q.OrganisationID, Bytes: smallBytes})
	if err != nil {
		return nil, nil, err
	}
	snap, err := open(ctx, s.reads, q, withSealed)
	return snap, lease, err
}

// openAdmitted opens a snapshot for statistics. How large they will be is known once the scope is read: what turns out large
// gives back its connection and its place, waits among the large ones and begins anew. hold is called with what is held.
func (s *Service) openAdmitted(ctx context.Context, q Query, hold func(*limiter.Lease)) (*snapshot, error) {
	began := time.Now()
	snap, lease, err := s.openSmall(ctx, q, true)
	hold(lease)
	if err != nil || !snap.large() {
		return snap, err
	}
	bytes := snap.estimatedBytes()
	snap.close()
	lease.Release()
	lease, err = s.limits.large.Acquire(ctx, limiter.Request{OrganisationID: q.OrganisationID, Bytes: bytes, Waited: time.Since(began)})
	if err != nil {
		return nil, err
	}
	hold(lease)
	return open(ctx, s.reads, q, true)
}

// large says whether the statistics list many players, or read segments play by play for a group.
func (s *snapshot) large() bool {
	return !s.scope.suppressed() && (s.scope.listed > LargeReport || s.scope.grouped && len(s.sealed.days) > 0)
}

// estimatedBytes is what large statistics hold at their peak: no more players than the organisation has can be listed.
func (s *snapshot) estimatedBytes() int64 {
	return bytesOfSegments + bytesOfPlayer*int64(s.scope.players)
}
