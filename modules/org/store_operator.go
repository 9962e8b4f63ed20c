package org

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// The methods of this file are for the operator's commands, whose pool connects as the owner of the
// tables.

// AllOrganisations returns all organisations by slug.
func (s *Service) AllOrganisations(ctx context.Context) (all []Organisation, _ error) {
	err := s.db.Gorm.WithContext(ctx).Scopes(postgres.Tag("org.all"),
		tenant.Across("the operator lists every organisation")).Order("slug").Find(&all).Error
	return all, apperr.Annotate(err, "org: all")
}

// lockBySlug returns the organisation, locked until the caller's transaction ends. The lock is that
// of SetReportingMode. Errors: apperr.NotFound.
func lockBySlug(tx *gorm.DB, slug string) (Organisation, error) {
	return takeOrganisation(tx.Scopes(postgres.Tag("org.bySlug"),
		tenant.Across("the operator names an organisation by its slug alone")).
		Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("slug = ?", slug))
}

// CreateIn adds an organisation in the caller's transaction, with its audit entry. Errors:
// apperr.Validation with the field "slug" if it is taken.
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
	return s.recordOperator(tx, audit.Entry{OrganisationID: o.ID, Request: request,
		Action: audit.OrganisationCreated, Details: map[string]any{"plan": string(o.Plan)}})
}

// SetPlanIn changes the plan in the caller's transaction, with its audit entry. Setting the current
// plan records nothing. Errors: apperr.NotFound.
func (s *Service) SetPlanIn(tx *gorm.DB, slug string, plan Plan, request audit.Request) error {
	o, err := lockBySlug(tx, slug)
	if err != nil || o.Plan == plan {
		return err
	}
	if err := tx.Scopes(postgres.Tag("org.setPlan"), tenant.Scope(o.ID)).
		Model(&Organisation{}).Update("plan", plan).Error; err != nil {
		return fmt.Errorf("org: set the plan: %w", err)
	}
	return s.recordOperator(tx, audit.Entry{OrganisationID: o.ID, Request: request,
		Action:  audit.PlanChanged,
		Details: map[string]any{"from": string(o.Plan), "to": string(plan)}})
}

// NoRole is the role of a person who is not a member.
const NoRole Role = "none"

// SetRoleIn gives the person the role in the caller's transaction, with its audit entry. mayChange
// may refuse to replace the present role. Setting the present role records nothing. Errors:
// apperr.NotFound for an unknown slug; apperr.Validation for the last owner; those of mayChange.
func (s *Service) SetRoleIn(tx *gorm.DB, slug string, person audit.Actor, role Role,
	mayChange func(now Role) error, request audit.Request,
) error {
	o, err := lockBySlug(tx, slug)
	if err != nil {
		return err
	}
	var members []Member
	if err := tx.Scopes(postgres.Tag("org.roles"), tenant.Scope(o.ID)).
		Where("user_id = ? or role = ?", person.ID, RoleOwner).Find(&members).Error; err != nil {
		return fmt.Errorf("org: roles: %w", err)
	}
	now := NoRole
	owned := role == RoleOwner
	for _, m := range members {
		if m.PersonID == person.ID {
			now = m.Role
		} else {
			owned = true // by another
		}
	}
	if err := mayChange(now); err != nil || now == role {
		return err
	}
	if now == RoleOwner && !owned {
		return apperr.NewField("role", "That leaves %s without an owner. Make another one first.", slug)
	}
	if err := writeRole(tx.Scopes(tenant.Scope(o.ID)),
		Member{OrganisationID: o.ID, PersonID: person.ID, Role: role}, now); err != nil {
		return fmt.Errorf("org: set a role: %w", err)
	}
	return s.recordOperator(tx, audit.Entry{OrganisationID: o.ID, Request: request,
		Action: audit.RoleChanged, Target: audit.Target{Kind: "person", ID: person.ID},
		Details: map[string]any{"name": person.Name, "from": string(now), "to": string(role)}})
}

// writeRole replaces the person's role. NoRole stands for no membership.
func writeRole(tx *gorm.DB, m Member, now Role) error {
	switch NoRole {
	case now:
		return tx.Scopes(postgres.Tag("org.addMember")).Create(&m).Error
	case m.Role:
		return tx.Scopes(postgres.Tag("org.removeMember")).Where("user_id = ?", m.PersonID).
			Delete(&Member{}).Error
	}
	return tx.Scopes(postgres.Tag("org.setRole")).Model(&Member{}).
		Where("user_id = ?", m.PersonID).Update("role", m.Role).Error
}

// recordOperator appends an entry of the operator. Its target is the organisation unless it has
// one.
func (s *Service) recordOperator(tx *gorm.DB, e audit.Entry) error {
	e.Actor = audit.OperatorActor
	if e.Target == (audit.Target{}) {
		e.Target = audit.Target{Kind: "organisation", ID: e.OrganisationID}
	}
	return s.log.AppendIn(tx, e)
}
