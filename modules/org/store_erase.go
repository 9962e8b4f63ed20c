package org

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/input"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

var errPlayerNotFound = apperr.New(apperr.NotFound, "No such player.")

type playerRow struct {
	ID    string
	OrgID string
}

func (playerRow) TableName() string { return "players" }

// ErasePlayer deletes a player and returns the organisation's id. The schema deletes the player's
// plays and memberships in groups. In the same transaction, forget removes what is derived from
// plays, and an audit entry records the player's id without the name. The pool must connect as the
// owner of the tables. It tries again for a minute while an import holds the player or the ordinals.
// Errors: apperr.NotFound, those of forget, SQLSTATE 55P03.
func (s *Service) ErasePlayer(
	ctx context.Context, playerID string, forget func(tx *gorm.DB, organisationID string) error,
	request audit.Request,
) (organisationID string, err error) {
	for deadline := time.Now().Add(eraseTimeout); ; {
		organisationID, err = s.erasePlayer(ctx, playerID, forget, request)
		failed, refused := errors.AsType[*pgconn.PgError](err)
		if !refused || failed.Code != "55P03" || time.Now().After(deadline) {
			return organisationID, err
		}
	}
}

const (
	eraseTimeout = time.Minute
	// lockPlayersSQL waits for less than deadlock_timeout (1 s): an import that has written plays of
	// the player before it locks the ordinals must not become the victim of a deadlock.
	lockPlayersSQL = `/* org.lockPlayers */ select from player_ordinals where org_id = @org
		and set_config('lock_timeout', '500ms', true) is not null for update`
)

func (s *Service) erasePlayer(
	ctx context.Context, playerID string, forget func(tx *gorm.DB, organisationID string) error,
	request audit.Request,
) (organisationID string, err error) {
	err = s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if organisationID, err = playerOwner(tx, playerID); err != nil {
			return err
		}
		// before the player, as the import does: a trigger changes the version
		err := tenant.Exec(tx, organisationID, lockPlayersSQL).Error
		if err != nil {
			return fmt.Errorf("org: lock players: %w", err)
		}
		erased := tx.Scopes(postgres.Tag("org.erase"), tenant.Scope(organisationID)).
			Where("id = ?", playerID).Delete(&playerRow{})
		if erased.Error != nil {
			return fmt.Errorf("org: erase a player: %w", erased.Error)
		}
		if erased.RowsAffected == 0 { // erased concurrently
			return errPlayerNotFound
		}
		if err := forget(tx, organisationID); err != nil {
			return err
		}
		return s.log.AppendIn(tx, audit.Entry{
			OrganisationID: organisationID, Actor: audit.OperatorActor, Action: audit.PlayerErased,
			Target: audit.Target{Kind: "player", ID: playerID}, Request: request,
		})
	})
	return organisationID, err
}

// PlayerID returns the id of the organisation's player with the pseudonym, in any case, or the id. The
// pool must connect as the owner of the tables. Errors: apperr.NotFound.
func (s *Service) PlayerID(ctx context.Context, organisationID, player string) (string, error) {
	var row playerRow
	err := s.db.Gorm.WithContext(ctx).
		Scopes(postgres.Tag("org.playerByLabel"), tenant.Scope(organisationID)).
		Where("label = ? or id::text = ?", strings.ToUpper(player), input.ID(player)).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return "", errPlayerNotFound
	}
	return row.ID, apperr.Annotate(err, "org: player by label")
}

func playerOwner(tx *gorm.DB, playerID string) (string, error) {
	if !input.IsID(playerID) {
		return "", errPlayerNotFound
	}
	var row playerRow
	err := tx.Scopes(postgres.Tag("org.playerOwner"),
		tenant.Across("the operator names a player by its id alone")).
		Select("org_id").Where("id = ?", playerID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return "", errPlayerNotFound
	}
	return row.OrgID, apperr.Annotate(err, "org: player owner")
}

// AllOrganisationIDs returns the ids of all organisations in order, for the operator's commands.
func AllOrganisationIDs(ctx context.Context, db *postgres.DB) (ids []string, err error) {
	err = db.Gorm.WithContext(ctx).
		Scopes(postgres.Tag("org.allIDs"),
			tenant.Across("the operator's commands work on every organisation")).
		Model(&Organisation{}).Order("id").Pluck("id", &ids).Error
	return ids, apperr.Annotate(err, "org: all ids")
}
