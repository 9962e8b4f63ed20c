package games

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"dg/platform/apperr"
	"dg/platform/input"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

type forkRow struct {
	ID                    string
	OrgID                 string
	GameID                string
	Slug                  string
	Title                 string
	Major                 int
	Status                string
	Visibility            string
	SourceLocale          string
	DeployedReleaseNumber *int
	Suspended             bool
	CreatedAt             time.Time
	UpdatedAt             time.Time
	OrganisationVersion   int64
}

func (forkRow) TableName() string { return "forks" }

func (r forkRow) fork() Fork {
	return Fork{
		ID:                  r.ID,
		OrganisationID:      r.OrgID,
		GameID:              r.GameID,
		Slug:                r.Slug,
		Title:               r.Title,
		Major:               r.Major,
		Status:              r.Status,
		Visibility:          r.Visibility,
		SourceLocale:        r.SourceLocale,
		DeployedRelease:     r.DeployedReleaseNumber,
		Suspended:           r.Suspended,
		CreatedAt:           r.CreatedAt,
		UpdatedAt:           r.UpdatedAt,
		OrganisationVersion: r.OrganisationVersion,
	}
}

// forks is the query of the organisation's forks. The version comes from the snapshot of the forks.
func (s *Service) forks(ctx context.Context, organisationID string) *gorm.DB {
	return s.db.Gorm.WithContext(ctx).
		Scopes(postgres.Tag("games.forks"), tenant.Scope(organisationID)).
		Select("id, org_id, game_id, slug, title, major, status, visibility, source_locale, "+
			"deployed_release_number, suspended, "+
			"created_at, updated_at, (select version from organisations where id = ?) as "+
			"organisation_version", organisationID)
}

// Forks returns all forks of the organisation, by creation, then id.
func (s *Service) Forks(ctx context.Context, organisationID string) ([]Fork, error) {
	var rows []forkRow
	if err := s.forks(ctx, organisationID).Order("created_at, id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("games: forks: %w", err)
	}
	forks := make([]Fork, len(rows))
	for i, r := range rows {
		forks[i] = r.fork()
	}
	return forks, nil
}

// Fork returns one fork of the organisation. Errors: apperr.NotFound, also for another
// organisation's fork.
func (s *Service) Fork(ctx context.Context, organisationID, id string) (Fork, error) {
	if !input.IsID(id) {
		return Fork{}, errForkNotFound
	}
	var row forkRow
	err := s.forks(ctx, organisationID).Where("id = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Fork{}, errForkNotFound
	}
	if err != nil {
		return Fork{}, fmt.Errorf("games: fork: %w", err)
	}
	return row.fork(), nil
}

// ForkOwner returns the id of the organisation that owns the fork. It is deliberately not scoped to
// an organisation: the use of another organisation's fork is refused and audited as such. Errors:
// apperr.NotFound.
func (s *Service) ForkOwner(ctx context.Context, id string) (string, error) {
	if !input.IsID(id) {
		return "", errForkNotFound
	}
	var row forkRow
	err := s.db.Gorm.WithContext(ctx).
		Scopes(postgres.Tag("games.forkOwner"),
			tenant.Across("the use of another organisation's fork is audited as such")).
		Select("org_id").Where("id = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return "", errForkNotFound
	}
	return row.OrgID, apperr.Annotate(err, "games: fork owner")
}
