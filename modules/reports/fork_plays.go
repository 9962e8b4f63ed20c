package reports

import (
	"context"

	"dg/platform/limiter"
	"dg/platform/postgres"
)

// PlaysOfForks returns how many plays each fork of the organisation had in the period: `plays` of its statistics. It reads from a
// replica if one has replayed the position. Errors: apperr.Unavailable with RetryAfter.
func (s *Service) PlaysOfForks(ctx context.Context, organisationID string, p Period, at postgres.Position) (map[string]int64, error) {
	lease, err := s.limits.small.Acquire(ctx, limiter.Request{OrganisationID: organisationID})
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	plays, damaged, err := s.playsFromReplica(ctx, organisationID, p, at)
	if err != nil || plays == nil {
		plays, damaged, err = playsOfForks(ctx, s.reads.Pool, organisationID, p)
	}
	s.markDirty(ctx, damaged)
	return plays, err
}

// playsFromReplica returns nil if no replica has the position.
func (s *Service) playsFromReplica(ctx context.Context, organisationID string, p Period, at postgres.Position) (map[string]int64, []Damage, error) {
	conn := s.reads.AcquireReplica(ctx, at)
	if conn == nil {
		return nil, nil, nil
	}
	defer conn.Release()
	return playsOfForks(ctx, conn, organisationID, p)
}

// playsOfForks counts again without the damaged segments until it meets no more of them.
func playsOfForks(ctx context.Context, db querier, organisationID string, p Period) (plays map[string]int64, damaged []Damage, err error) {
	for {
		var more []Damage
		plays, more, err = countPlays(ctx, db, organisationID, p, damaged)
		if err != nil || len(more) == 0 {
			return plays, damaged, err
		}
		damaged = append(damaged, more...)
	}
}
