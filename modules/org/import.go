package org

import (
	"context"
	"io"

	"github.com/google/uuid"

	"dg/modules/audit"
	"dg/platform/staging"
)

// ImportedOrganisation is an organisation of an import.
type ImportedOrganisation struct {
	ID            uuid.UUID `json:"id" validate:"required"`
	Slug          string    `json:"slug" validate:"text"`
	Name          string    `json:"name" validate:"text"`
	Plan          string    `json:"plan" validate:"oneof=free team pro enterprise"`
	ReportingMode string    `json:"reportingMode" validate:"oneof=pseudonymous nominative"`
}

// ImportedMembership is a person's role in an organisation.
type ImportedMembership struct {
	OrganisationID uuid.UUID `json:"organisationId" validate:"required"`
	UserID         uuid.UUID `json:"userId" validate:"required"`
	Role           string    `json:"role" validate:"oneof=owner admin member"`
}

// ImportedPlayer is a player of an import.
type ImportedPlayer struct {
	ID             uuid.UUID `json:"id" validate:"required"`
	OrganisationID uuid.UUID `json:"organisationId" validate:"required"`
	DisplayName    string    `json:"displayName" validate:"text"`
}

// ImportedGroup is a group of an import; PlayerIDs is its whole membership.
type ImportedGroup struct {
	ID             uuid.UUID   `json:"id" validate:"required"`
	OrganisationID uuid.UUID   `json:"organisationId" validate:"required"`
	Name           string      `json:"name" validate:"text"`
	PlayerIDs      []uuid.UUID `json:"playerIds" validate:"required,unique,dive,required"`
}

// The kinds of objects that the objects of other modules refer to.
var (
	OrganisationKind = staging.Kind{Noun: "organisation", Stored: "organisations"}
	PlayerKind       = staging.Kind{Noun: "player", Stored: "players"}
)

// Import takes the organisations, memberships, players and groups of an import.
type Import struct {
	stage    *staging.Stage
	userKind staging.Kind
	random   io.Reader
	request  audit.Request // of the entries

	organisations, memberships, players, groups *staging.Table
}

// NewImport adds the module's tables to the stage. Memberships refer to userKind; random is
// crypto/rand.Reader, buffered. Audit entries have the request.
func NewImport(
	stage *staging.Stage, userKind staging.Kind, random io.Reader, request audit.Request,
) *Import {
	return &Import{
		stage: stage, userKind: userKind, random: random, request: request,
		organisations: stage.Table(OrganisationKind,
			"id uuid, slug text, name text, plan text, reporting_mode text, old_plan text, old_mode text"),
		memberships: stage.Table(staging.Kind{Noun: "membership", Stored: "memberships"},
			"org_id uuid, user_id uuid, role text"),
		players: stage.Table(PlayerKind, "id uuid, org_id uuid, display_name text, label text"),
		groups: stage.Table(staging.Kind{Noun: "group", Stored: "player_groups"},
			"id uuid, org_id uuid, name text, player_ids uuid[]"),
	}
}

// Organisation stages an organisation.
func (i *Import) Organisation(line int64, o *ImportedOrganisation) error {
	i.organisations.Add(line, o.ID, o.Slug, o.Name, o.Plan, o.ReportingMode, nil, nil)
	return nil
}

// Membership stages a membership.
func (i *Import) Membership(line int64, m *ImportedMembership) error {
	i.memberships.Add(line, m.OrganisationID, m.UserID, m.Role)
	return nil
}

// Player stages a player, with the label that it gets if it is new.
func (i *Import) Player(line int64, p *ImportedPlayer) error {
	label, err := NewLabel(i.random)
	if err != nil {
		return err
	}
	i.players.Add(line, p.ID, p.OrganisationID, p.DisplayName, label)
	return nil
}

// Group stages a group and its members.
func (i *Import) Group(line int64, g *ImportedGroup) error {
	i.groups.Add(line, g.ID, g.OrganisationID, g.Name, g.PlayerIDs)
	return nil
}

// Rules returns the rules of the module's objects.
func (i *Import) Rules() []staging.Rule {
	return []staging.Rule{
		i.organisations.UniqueInFile("id", "id"),
		i.organisations.Unique("slug", "slug", "", "a slug that no other organisation has"),

		i.memberships.UniqueInFile("userId", "user_id, org_id"),
		i.memberships.References("organisationId", "org_id", OrganisationKind),
		i.memberships.References("userId", "user_id", i.userKind),

		i.players.UniqueInFile("id", "id"),
		i.players.References("organisationId", "org_id", OrganisationKind),
		i.players.Immutable("organisationId", "org_id", OrganisationKind.Noun),

		i.groups.UniqueInFile("id", "id"),
		i.groups.References("organisationId", "org_id", OrganisationKind),
		i.groups.Immutable("organisationId", "org_id", OrganisationKind.Noun),
		{Table: i.groups, Name: "players", Expected: PlayerKind.ID(), Query: unknownGroupPlayers},
		{
			Table:    i.groups,
			Name:     "players_organisation",
			Expected: "a player of the group's organisation",
			Query:    foreignGroupPlayers,
		},
	}
}

// Apply writes the staged objects that are new or differ.
func (i *Import) Apply(ctx context.Context) error {
	for _, write := range []func(context.Context) error{
		i.writeOrganisations, i.writeMemberships, i.writePlayers, i.writeGroups,
	} {
		if err := write(ctx); err != nil {
			return err
		}
	}
	return nil
}
