package org

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/input"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// dg's commands call the functions of this file with a pool of the tables' owner.

// AllOrganisations returns all organisations, ordered by slug.
func (s *Service) AllOrganisations(ctx context.Context) (organisations []Organisation, _ error) {
	err := s.db.Gorm.WithContext(ctx).Scopes(postgres.Tag("org.all"),
		tenant.Across("the operator lists every organisation")).Order("slug").Find(&organisations).Error
	return organisations, apperr.Annotate(err, "org: all")
}

// lockBySlug takes the same lock as SetReportingMode, so that changes are serialised.
func lockBySlug(tx *gorm.DB, slug string) (Organisation, error) {
	return BySlugIn(tx.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}), slug)
}

// BySlugIn returns the organisation with the slug. Errors: apperr.NotFound.
func BySlugIn(tx *gorm.DB, slug string) (Organisation, error) {
	return takeOrganisation(tx.Scopes(postgres.Tag("org.bySlug"),
		tenant.Across("the operator names an organisation by its slug alone")).Where("slug = ?", slug))
}

// CreateIn adds an organisation and its audit entry in the caller's transaction. Errors:
// apperr.Validation with the field "slug" if another organisation has the slug.
func (s *Service) CreateIn(tx *gorm.DB, o Organisation, request audit.Request) error {
	_, err := lockBySlug(tx, o.Slug)
	if err == nil {
		return apperr.NewField("slug", "An organisation already has the slug %s.", o.Slug)
	}
	if !apperr.Is(err, apperr.NotFound) {
		return err
	}
	if err := tx.Scopes(postgres.Tag("org.create"), tenant.Scope(o.ID)).Omit("Version").
		Create(&o).Error; err != nil {
		return fmt.Errorf("org: create: %w", err)
	}
	return s.recordAsOperator(tx, audit.Entry{OrganisationID: o.ID, Request: request,
		Action: audit.OrganisationCreated, Details: map[string]any{"plan": string(o.Plan)}})
}

// SetPlanIn changes the organisation's plan in the caller's transaction and adds an audit entry.
// Setting the current plan changes and records nothing. Errors: apperr.NotFound.
func (s *Service) SetPlanIn(tx *gorm.DB, slug string, plan Plan, request audit.Request) error {
	o, err := lockBySlug(tx, slug)
	if err != nil || o.Plan == plan {
		return err
	}
	if err := tx.Scopes(postgres.Tag("org.setPlan"), tenant.Scope(o.ID)).
		Model(&Organisation{}).Update("plan", plan).Error; err != nil {
		return fmt.Errorf("org: set the plan: %w", err)
	}
	return s.recordAsOperator(tx, audit.Entry{OrganisationID: o.ID, Request: request,
		Action:  audit.PlanChanged,
		Details: map[string]any{"from": string(o.Plan), "to": string(plan)}})
}

// NoRole stands for the role of a person who is not a member. No row has it.
const NoRole Role = "none"

// SetRoleIn gives the person the role in the caller's transaction and adds an audit entry. NoRole
// ends the membership. An error of mayChange, which gets the current role, refuses the change.
// Setting the current role changes and records nothing. Errors: apperr.NotFound for an unknown
// slug, apperr.Validation if no owner would be left, those of mayChange.
func (s *Service) SetRoleIn(tx *gorm.DB, slug string, person audit.Actor, role Role,
	mayChange func(current Role) error, request audit.Request,
) error {
	organisation, err := lockBySlug(tx, slug)
	if err != nil {
		return err
	}
	var members []Member
	if err := tx.Scopes(postgres.Tag("org.roles"), tenant.Scope(organisation.ID)).
		Where("user_id = ? or role = ?", person.ID, RoleOwner).Find(&members).Error; err != nil {
		return fmt.Errorf("org: roles: %w", err)
	}
	current := NoRole
	keepsOwner := role == RoleOwner
	for _, m := range members {
		if m.PersonID == person.ID {
			current = m.Role
		} else {
			keepsOwner = true // the query returns other members only if they are owners
		}
	}
	if err := mayChange(current); err != nil || current == role {
		return err
	}
	if current == RoleOwner && !keepsOwner {
		return apperr.NewField("role", "That leaves %s without an owner. Make another one first.", slug)
	}
	if err := writeRole(tx.Scopes(tenant.Scope(organisation.ID)),
		Member{OrganisationID: organisation.ID, PersonID: person.ID, Role: role}, current); err != nil {
		return fmt.Errorf("org: set a role: %w", err)
	}
	return s.recordAsOperator(tx, audit.Entry{OrganisationID: organisation.ID, Request: request,
		Action: audit.RoleChanged, Target: audit.Target{Kind: "person", ID: person.ID},
		Details: map[string]any{"name": person.Name, "from": string(current), "to": string(role)}})
}

// LeaveAllIn ends the person's memberships in the caller's transaction, and adds an audit entry for
// each. It first locks the organisations and calls record. Errors: apperr.Validation if an
// organisation would be left without an owner, those of record.
func (s *Service) LeaveAllIn(tx *gorm.DB, person audit.Actor, record func() error, request audit.Request) error {
	var slugs []string
	err := tx.Scopes(postgres.Tag("org.leaveAll"), tenant.Across("a person's own memberships")).
		Model(&Membership{}).Joins("join organisations o on o.id = memberships.org_id").
		Clauses(clause.Locking{Strength: "NO KEY UPDATE", Table: clause.Table{Name: "o"}}).
		Where("user_id = ?", person.ID).Order("o.id").Pluck("o.slug", &slugs).Error
	if err != nil {
		return fmt.Errorf("org: memberships: %w", err)
	}
	if err := record(); err != nil {
		return err
	}
	for _, slug := range slugs {
		if err := s.SetRoleIn(tx, slug, person, NoRole, func(Role) error { return nil }, request); err != nil {
			return err
		}
	}
	return nil
}

func writeRole(tx *gorm.DB, m Member, current Role) error {
	switch {
	case current == NoRole:
		return tx.Scopes(postgres.Tag("org.addMember")).Create(&m).Error
	case m.Role == NoRole:
		return tx.Scopes(postgres.Tag("org.removeMember")).Where("user_id = ?", m.PersonID).
			Delete(&Member{}).Error
	}
	return tx.Scopes(postgres.Tag("org.setRole")).Model(&Member{}).
		Where("user_id = ?", m.PersonID).Update("role", m.Role).Error
}

func (s *Service) recordAsOperator(tx *gorm.DB, e audit.Entry) error {
	e.Actor = audit.OperatorActor
	if e.Target == (audit.Target{}) {
		e.Target = audit.Target{Kind: "organisation", ID: e.OrganisationID}
	}
	return s.auditLog.AppendIn(tx, e)
}

var errPlayerNotFound = apperr.New(apperr.NotFound, "No such player.")

type playerRow struct {
	ID      string
	OrgID   string
	Ordinal int
}

func (playerRow) TableName() string { return "players" }

// ErasePlayer deletes a player with plays and memberships in groups. In the same transaction,
// forget removes data derived from plays, and an audit entry records the player's id without the
// name. The pool must connect as the owner of the tables. ErasePlayer retries for eraseTimeout
// while an import locks the player or the ordinals. Errors: apperr.NotFound, those of forget,
// SQLSTATE 55P03 (lock not available).
func (s *Service) ErasePlayer(
	ctx context.Context, playerID string, forget func(tx *gorm.DB, organisationID string) error,
	request audit.Request,
) error {
	for deadline := time.Now().Add(eraseTimeout); ; {
		err := s.erasePlayer(ctx, playerID, forget, request)
		pgErr, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || pgErr.Code != "55P03" || time.Now().After(deadline) {
			return err
		}
	}
}

const (
	eraseTimeout = time.Minute
	// lockOrdinalsSQL sets the transaction's lock_timeout below deadlock_timeout (1 s). If an import
	// that has written plays of the player waits for the ordinals, the erasure then gives way.
	lockOrdinalsSQL = `/* org.lockPlayers */ select from player_ordinals where org_id = @org
		and set_config('lock_timeout', '500ms', true) is not null for update`
	// eraseOrphansSQL deletes the rows that cascades miss if the schema has lost its foreign keys.
	eraseOrphansSQL = `/* org.eraseLeft */ with left_groups as (
			delete from group_members where org_id = @org and player = @player)
		delete from plays where org_id = @org and player = @player`
)

func (s *Service) erasePlayer(
	ctx context.Context, playerID string, forget func(tx *gorm.DB, organisationID string) error,
	request audit.Request,
) error {
	return s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		organisationID, err := organisationIDOfPlayer(tx, playerID)
		if err != nil {
			return err
		}
		// in the order of an import, against deadlocks: the ordinals before the player
		if err := tenant.Exec(tx, organisationID, lockOrdinalsSQL).Error; err != nil {
			return fmt.Errorf("org: lock players: %w", err)
		}
		var player playerRow
		result := tx.Scopes(postgres.Tag("org.erase"), tenant.Scope(organisationID)).
			Clauses(clause.Returning{}).Where("id = ?", playerID).Delete(&player)
		if result.Error != nil {
			return fmt.Errorf("org: erase a player: %w", result.Error)
		}
		if result.RowsAffected == 0 { // another transaction has erased the player
			return errPlayerNotFound
		}
		err = tenant.Exec(tx, organisationID, eraseOrphansSQL, sql.Named("player", player.Ordinal)).Error
		if err != nil {
			return fmt.Errorf("org: erase what a player left: %w", err)
		}
		if err := forget(tx, organisationID); err != nil {
			return err
		}
		return s.recordAsOperator(tx, audit.Entry{
			OrganisationID: organisationID, Action: audit.PlayerErased,
			Target: audit.Target{Kind: "player", ID: playerID}, Request: request,
		})
	})
}

// PlayerID returns the id of the organisation's player with the pseudonym (in any case) or id.
// Errors: apperr.NotFound.
func (s *Service) PlayerID(ctx context.Context, organisationID, pseudonymOrID string) (string, error) {
	var row playerRow
	err := s.db.Gorm.WithContext(ctx).
		Scopes(postgres.Tag("org.playerByLabel"), tenant.Scope(organisationID)).
		Where("label = ? or id::text = ?", strings.ToUpper(pseudonymOrID),
			input.ID(pseudonymOrID)).Take(&row).Error
	return row.ID, postgres.OrMissing(err, "org: player by label", errPlayerNotFound)
}

func organisationIDOfPlayer(tx *gorm.DB, playerID string) (string, error) {
	if !input.IsID(playerID) {
		return "", errPlayerNotFound
	}
	var row playerRow
	err := tx.Scopes(postgres.Tag("org.playerOwner"),
		tenant.Across("the operator names a player by its id alone")).
		Select("org_id").Where("id = ?", playerID).Take(&row).Error
	return row.OrgID, postgres.OrMissing(err, "org: player owner", errPlayerNotFound)
}
