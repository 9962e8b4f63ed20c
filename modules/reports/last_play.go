package reports

import (
	"context"
	"time"
)

// LastPlay returns the start of the fork's latest play, and whether there is one. It knows no group: when a small group last played
// is nobody's business. The caller holds the lease of a report without plays, whose connection it takes: it waits for no other.
func (s *Service) LastPlay(ctx context.Context, organisationID, forkID string) (time.Time, bool, error) {
	return lastPlay(ctx, s.reads.Pool, organisationID, forkID)
}
