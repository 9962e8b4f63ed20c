package games

import (
	"context"
	"errors"

	"gorm.io/gorm"

	"dg/platform/apperr"
	"dg/platform/input"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// Service reads forks.
type Service struct{ db *postgres.DB }

// New returns the service over db.
func New(db *postgres.DB) *Service { return &Service{db: db} }

var errForkNotFound = apperr.New(apperr.NotFound,
	"No such fork. Take its id from GET /api/v1/forks.")

// forks queries the organisation's forks. The version comes from the snapshot of the forks.
func (s *Service) forks(ctx context.Context, organisationID string) *gorm.DB {
	return s.db.Gorm.WithContext(ctx).
		Scopes(postgres.Tag("games.forks"), tenant.Scope(organisationID)).
		Select("id, org_id, game_id, slug, title, major, status, visibility, source_locale, "+
			"deployed_release_number, suspended, created_at, updated_at, "+
			"(select version from organisations where id = ?) as organisation_version",
			organisationID)
}

// Forks returns all forks of the organisation, by creation, then id.
func (s *Service) Forks(ctx context.Context, organisationID string) (forks []Fork, _ error) {
	err := s.forks(ctx, organisationID).Order("created_at, id").Find(&forks).Error
	return forks, apperr.Annotate(err, "games: forks")
}

// Fork returns one fork of the organisation. Errors: apperr.NotFound, also for another
// organisation's fork.
func (s *Service) Fork(ctx context.Context, organisationID, id string) (Fork, error) {
	return take(s.forks(ctx, organisationID), id)
}

// ForkOwner returns the id of the organisation that owns the fork. It is deliberately not scoped to
// an organisation: the use of another organisation's fork is refused and audited as such. Errors:
// apperr.NotFound.
func (s *Service) ForkOwner(ctx context.Context, id string) (string, error) {
	owned, err := take(s.db.Gorm.WithContext(ctx).Scopes(postgres.Tag("games.forkOwner"),
		tenant.Across("the use of another organisation's fork is audited as such")).
		Select("org_id"), id)
	return owned.OrganisationID, err
}

// take reads the fork with the id. Errors: apperr.NotFound.
func take(forks *gorm.DB, id string) (fork Fork, err error) {
	if !input.IsID(id) {
		return Fork{}, errForkNotFound
	}
	err = forks.Where("id = ?", id).Take(&fork).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Fork{}, errForkNotFound
	}
	return fork, apperr.Annotate(err, "games: fork")
}
