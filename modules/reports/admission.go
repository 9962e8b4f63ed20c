package reports

import (
	"context"
	"time"

	"dg/modules/reports/snapshot"
	"dg/platform/fairshare"
)

// admission is a report's slot, with the lease of its estimated memory.
type admission struct {
	lease *fairshare.Lease
	bytes int64
}

// admitSmall admits a small report. The caller releases the lease. Errors: apperr.Unavailable with
// RetryAfter.
func (l Limits) admitSmall(ctx context.Context, organisationID string) (admission, error) {
	lease, err := l.Small.Acquire(ctx,
		fairshare.Request{OrganisationID: organisationID, Bytes: smallBytes})
	return admission{lease, smallBytes}, err
}

// admitLarge admits a large report that has waited so long. The caller releases the lease. Errors:
// apperr.Unavailable with RetryAfter.
func (l Limits) admitLarge(
	ctx context.Context, organisationID string, bytes int64, waited time.Duration,
) (admission, error) {
	lease, err := l.Large.Acquire(ctx, fairshare.Request{
		OrganisationID: organisationID,
		Bytes:          bytes,
		Waited:         waited,
	})
	return admission{lease, bytes}, err
}

// openAdmitted opens a snapshot for statistics. Its metadata tells their size: a large report gives
// back connection and slot, waits among the large ones and starts again. hold gets each lease.
func (s *Service) openAdmitted(
	ctx context.Context, q Query, hold func(*fairshare.Lease),
) (*snapshot.Snapshot, admission, error) {
	start := time.Now()
	admitted, err := s.limits.admitSmall(ctx, q.OrganisationID)
	hold(admitted.lease)
	if err != nil {
		return nil, admitted, err
	}
	snap, err := snapshot.Open(ctx, s.reads, q, true)
	if err != nil || !snap.Meta.Large() {
		return snap, admitted, err
	}
	bytes := estimatedBytes(snap.Meta, q.Rows)
	snap.Close()
	admitted.lease.Release()
	admitted, err = s.limits.admitLarge(ctx, q.OrganisationID, bytes, time.Since(start))
	if err != nil {
		return nil, admitted, err
	}
	hold(admitted.lease)
	snap, err = snapshot.Open(ctx, s.reads, q, true)
	return snap, admitted, err
}

// labelBudget is the memory of a report's labels: a part of the estimate, beyond which the lease
// grows.
type labelBudget struct {
	lease *fairshare.Lease
	left  int64 // bytes of the estimate
}

func (a admission) labelBudget(lastOrdinal int) *labelBudget {
	return &labelBudget{
		lease: a.lease,
		left:  min(a.bytes/4, labelBlock+bytesOfLabel*int64(lastOrdinal)),
	}
}

// grow is called before labels take more memory. Errors: apperr.Unavailable with RetryAfter.
func (b *labelBudget) grow(bytes int) error {
	if b.left -= int64(bytes); b.left >= 0 {
		return nil
	}
	return b.lease.Grow(int64(bytes))
}

// estimatedBytes is the peak memory of large statistics, with all players of the organisation. rows
// says that the caller lists them.
func estimatedBytes(m snapshot.Metadata, rows bool) int64 {
	bytes := bytesOfSegments + bytesOfPlayer*int64(m.LastOrdinal)
	if rows {
		bytes += bytesOfRow * int64(m.LastOrdinal)
	}
	if m.Grouped && len(m.Sealed.Months) > 0 {
		bytes += bytesOfMonth
	}
	return bytes
}

// heldBytes is the memory that statistics hold until they are sent.
func heldBytes(m snapshot.Metadata, players int64, l *labels) int64 {
	return bytesOfSum*min(int64(m.LastOrdinal), labelsPerPage*players) + bytesOfOrder*players +
		int64(l.bytes)
}
