package org

import (
	"crypto/rand"
	"encoding/base32"
)

// Organisation is both the stored row and what other modules see.
type Organisation struct {
	ID, Slug, Name string
	Plan           Plan
	ReportingMode  ReportingMode
	Version        int64 // random and new after every change; see the package comment
}

// Membership is a person's role in an organisation, with the organisation.
type Membership struct {
	// OrganisationID comes from the membership's row. The policy compares it with Organisation.ID.
	OrganisationID string `gorm:"column:org_id"`
	Organisation   Organisation
	Role           Role
	HasOthers      bool `gorm:"-"` // whether the person belongs to other organisations too
}

// Member is a person's role in an organisation, as the list of members shows it.
type Member struct {
	OrganisationID string `gorm:"column:org_id"`
	PersonID       string `gorm:"column:user_id"`
	Role           Role
}

// TableName implements gorm's Tabler.
func (Member) TableName() string { return "memberships" }

// Group is a group of an organisation's players, without its members.
type Group struct {
	ID             string
	OrganisationID string `gorm:"column:org_id"`
	Name           string
}

// TableName implements gorm's Tabler.
func (Group) TableName() string { return "player_groups" }

// CountedGroup is a group with the number of its members, for lists.
type CountedGroup struct {
	Group
	Members int64
}

// Plan is the subscription of an organisation.
type Plan string

// These are the plans, lowest first.
const (
	PlanFree       Plan = "free"
	PlanTeam       Plan = "team"
	PlanPro        Plan = "pro"
	PlanEnterprise Plan = "enterprise"
)

// IncludesAPI reports whether the API is part of the plan. authenticate.sql and usableSQL of
// package apikeys repeat these plans.
func (p Plan) IncludesAPI() bool { return p == PlanPro || p == PlanEnterprise }

// ReportingMode says how reports name players.
type ReportingMode string

// Pseudonymous reports show labels (NewLabel), nominative ones display names.
const (
	Pseudonymous ReportingMode = "pseudonymous"
	Nominative   ReportingMode = "nominative"
)

// Role decides, with two-step verification, what a person may do in an organisation.
type Role string

// These are the roles, the most powerful first.
const (
	RoleOwner  Role = "owner"
	RoleAdmin  Role = "admin"
	RoleMember Role = "member"
)

// labelEncoding is Crockford's base32.
var labelEncoding = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

// NewLabel returns a new pseudonym with 50 random bits, such as P-7K3M9QXA2F. A unique constraint
// refuses a label that the organisation already has.
func NewLabel() string {
	var b [7]byte
	_, _ = rand.Read(b[:]) // never fails
	return "P-" + labelEncoding.EncodeToString(b[:])[:10]
}
