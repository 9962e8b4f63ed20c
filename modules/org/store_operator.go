package org

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// What is below is for the operator's commands, whose pool connects as the owner of the tables.

// All returns all organisations by slug.
func (s *Service) All(ctx context.Context) ([]Organisation, error) {
	var rows []organisationRow
	err := s.db.Gorm.WithContext(ctx).Scopes(postgres.Tag("org.all"),
		tenant.Across("the operator lists every organisation")).Order("slug").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("org: all: %w", err)
	}
	all := make([]Organisation, len(rows))
	for i, r := range rows {
		all[i] = r.organisation()
	}
	return all, nil
}

// lockBySlug returns the organisation, locked until the caller's transaction ends. The lock is that
// of SetReportingMode. Errors: apperr.NotFound.
func lockBySlug(tx *gorm.DB, slug string) (Organisation, error) {
	var row organisationRow
	err := tx.Scopes(postgres.Tag("org.bySlug"),
		tenant.Across("the operator names an organisation by its slug alone")).
		Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("slug = ?", slug).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Organisation{}, errOrganisationNotFound
	}
	if err != nil {
		return Organisation{}, fmt.Errorf("org: organisation by slug: %w", err)
	}
	return row.organisation(), nil
}

// CreateIn adds an organisation in the caller's transaction, with its audit entry.
func (s *Service) CreateIn(tx *gorm.DB, o Organisation, request audit.Request) error {
	_, err := lockBySlug(tx, o.Slug)
	if err == nil {
		return apperr.NewField("slug", "An organisation already has the slug %s.", o.Slug)
	}
	if !apperr.Is(err, apperr.NotFound) {
		return err
	}
	row := organisationRow{ID: o.ID, Slug: o.Slug, Name: o.Name, Plan: string(o.Plan),
		ReportingMode: string(o.ReportingMode)}
	if err := tx.Scopes(postgres.Tag("org.create"), tenant.Scope(o.ID)).Omit("Version").
		Create(&row).Error; err != nil {
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
		Model(&organisationRow{}).Update("plan", plan).Error; err != nil {
		return fmt.Errorf("org: set the plan: %w", err)
	}
	return s.recordOperator(tx, audit.Entry{OrganisationID: o.ID, Request: request,
		Action:  audit.PlanChanged,
		Details: map[string]any{"from": string(o.Plan), "to": string(plan)}})
}

// NoRole is the role of a person who is not a member.
const NoRole Role = "none"

// SetRoleIn gives the person the role in the caller's transaction, with its audit entry. An
// organisation keeps an owner. Errors: apperr.NotFound, apperr.Validation for the last owner and
// where mayChange refuses the role until now.
func (s *Service) SetRoleIn(tx *gorm.DB, slug string, person audit.Actor, role Role,
	mayChange func(now Role) error, request audit.Request,
) error {
	o, err := lockBySlug(tx, slug)
	if err != nil {
		return err
	}
	var members []membershipRow
	if err := tx.Scopes(postgres.Tag("org.roles"), tenant.Scope(o.ID)).
		Where("user_id = ? or role = ?", person.ID, RoleOwner).Find(&members).Error; err != nil {
		return fmt.Errorf("org: roles: %w", err)
	}
	now := NoRole
	owned := role == RoleOwner
	for _, m := range members {
		if m.UserID == person.ID {
			now = Role(m.Role)
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
		membershipRow{OrgID: o.ID, UserID: person.ID, Role: string(role)}, now); err != nil {
		return fmt.Errorf("org: set a role: %w", err)
	}
	return s.recordOperator(tx, audit.Entry{OrganisationID: o.ID, Request: request,
		Action: audit.RoleChanged, Target: audit.Target{Kind: "person", ID: person.ID},
		Details: map[string]any{"name": person.Name, "from": string(now), "to": string(role)}})
}

func writeRole(tx *gorm.DB, row membershipRow, now Role) error {
	switch NoRole {
	case now:
		return tx.Scopes(postgres.Tag("org.addMember")).Omit("Organisation").Create(&row).Error
	case Role(row.Role):
		return tx.Scopes(postgres.Tag("org.removeMember")).Where("user_id = ?", row.UserID).
			Delete(&membershipRow{}).Error
	}
	return tx.Scopes(postgres.Tag("org.setRole")).Model(&membershipRow{}).
		Where("user_id = ?", row.UserID).Update("role", row.Role).Error
}

// recordOperator appends an entry of the operator's. Its target is the organisation unless it names
// another.
func (s *Service) recordOperator(tx *gorm.DB, e audit.Entry) error {
	e.Actor = audit.TheOperator
	if e.Target == (audit.Target{}) {
		e.Target = audit.Target{Kind: "organisation", ID: e.OrganisationID}
	}
	return s.log.AppendIn(tx, e)
}
