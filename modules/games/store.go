package games

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/input"
	"dg/platform/postgres"
)

// Fork is an organisation's copy of a game. Its fields have the order of forksSQL. It omits the
// configuration, which may contain secrets.
type Fork struct {
	ID, OrganisationID    string
	GameID                string
	Slug, Title           string
	Major                 int
	Status                string // active or archived
	Visibility            string // public, organization or restricted
	SourceLocale          string // en, fr, es, pt or de
	DeployedReleaseNumber *int   // nil if no release is deployed
	Suspended             bool
	CreatedAt             time.Time
	UpdatedAt             time.Time
	OrganisationVersion   int64 // org.Organisation.Version, read in the same snapshot
}

// configs/authz_policy.csv grants these permissions.
var (
	ListForks = authz.Permission{Resource: "fork", Action: "list"}
	ReadFork  = authz.Permission{Resource: "fork", Action: "read"}
)

// Service reads forks.
type Service struct{ db *postgres.DB }

// New returns the service over db.
func New(db *postgres.DB) *Service { return &Service{db: db} }

var errForkNotFound = apperr.New(apperr.NotFound,
	"No such fork. Take its id from GET /api/v1/forks.")

// forksSQL bypasses gorm for speed, because nearly every request of the API runs it.
const forksSQL = `/* games.forks */ select id, org_id, game_id, slug, title, major, status, visibility,
	source_locale, deployed_release_number, suspended, created_at, updated_at,
	(select version from organisations where id = $1)
	from forks where org_id = $1`

// Forks returns all forks of the organisation, oldest first, with the id as tie-break.
func (s *Service) Forks(ctx context.Context, organisationID string) ([]Fork, error) {
	// CollectRows also returns an error of Query
	rows, _ := s.db.Pool.Query(ctx, forksSQL+` order by created_at, id`, organisationID)
	forks, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Fork])
	return forks, apperr.Annotate(err, "games: forks")
}

// Fork returns one fork of the organisation. Errors: apperr.NotFound, also for an id that is no
// UUID and for another organisation's fork.
func (s *Service) Fork(ctx context.Context, organisationID, id string) (Fork, error) {
	if !input.IsID(id) {
		return Fork{}, errForkNotFound
	}
	// CollectExactlyOneRow also returns an error of Query
	rows, _ := s.db.Pool.Query(ctx, forksSQL+` and id = $2`, organisationID, id)
	fork, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Fork])
	return fork, forkError(err)
}

// ForkOwner returns the id of the fork's organisation. It is not scoped to an organisation, so that
// the access to another organisation's fork can be audited. Errors: apperr.NotFound.
func (s *Service) ForkOwner(ctx context.Context, id string) (owner string, err error) {
	if !input.IsID(id) {
		return "", errForkNotFound
	}
	err = s.db.Pool.QueryRow(ctx, `/* games.forkOwner */ select org_id from forks where id = $1`, id).
		Scan(&owner)
	return owner, forkError(err)
}

func forkError(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return errForkNotFound
	}
	return apperr.Annotate(err, "games: fork")
}
