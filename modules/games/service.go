package games

import (
	"context"

	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// Service reads forks.
type Service struct{ db *postgres.DB }

// New returns the service over db.
func New(db *postgres.DB) *Service { return &Service{db: db} }

var errForkNotFound = apperr.New(apperr.NotFound, "There is no such fork. Take its id from GET /api/v1/forks.")

// Forks returns all forks of the organisation, by creation, then id.
func (s *Service) Forks(ctx context.Context, organisationID string) ([]Fork, error) {
	return s.forks(ctx, organisationID)
}

// Fork returns one fork of the organisation. Errors: ErrNotFound, also for another organisation's fork.
func (s *Service) Fork(ctx context.Context, organisationID, id string) (Fork, error) {
	if !org.IsID(id) {
		return Fork{}, errForkNotFound
	}
	return s.fork(ctx, organisationID, id)
}

// ForkOwner returns the id of the organisation that owns the fork: not scoped to an organisation, knowingly, so that a
// use of another organisation's fork can be refused and recorded as such. Errors: ErrNotFound.
func (s *Service) ForkOwner(ctx context.Context, id string) (string, error) {
	if !org.IsID(id) {
		return "", errForkNotFound
	}
	return s.forkOwner(ctx, id)
}
