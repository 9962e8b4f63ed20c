package reports

import (
	"context"
	"time"
)

// LastPlay returns the start of the fork's latest play, and whether there is one. It knows no group: when a small group last played
// is nobody's business. Errors: apperr.Unavailable with RetryAfter.
func (s *Service) LastPlay(ctx context.Context, organisationID, forkID string) (time.Time, bool, error) {
	lease, err := s.AdmitForks(ctx, organisationID)
	if err != nil {
		return time.Time{}, false, err
	}
	defer lease.Release()
	return lastPlay(ctx, s.reads.Pool, organisationID, forkID)
}
