package org

import (
	"context"
	"io"

	"dg/platform/staging"

	"github.com/google/uuid"
)

// ImportedOrganisation is an organisation as an import states it.
type ImportedOrganisation struct {
	ID            uuid.UUID
	Slug, Name    string
	Plan          Plan
	ReportingMode ReportingMode
}

// ImportedMembership is a person's role in an organisation as an import states it.
type ImportedMembership struct {
	Organisation, User uuid.UUID
	Role               Role
}

// ImportedPlayer is a player as an import states it.
type ImportedPlayer struct {
	ID, Organisation uuid.UUID
	DisplayName      string
}

// ImportedGroup is a group as an import states it; Players is the whole membership, each player once.
type ImportedGroup struct {
	ID, Organisation uuid.UUID
	Name             string
	Players          []uuid.UUID
}

// StagedOrganisations and StagedPlayers are the temporary tables that other modules' imports refer to.
const (
	StagedOrganisations = "import_organisations"
	StagedPlayers       = "import_players"
)

// Import takes the organisations, memberships, players and groups of an import.
type Import struct {
	stage       *staging.Stage
	stagedUsers string
	random      io.Reader

	organisations, memberships, players, groups, groupPlayers *staging.Table
}

// NewImport adds the module's tables to the stage. stagedUsers is the table of the users that come with the same import
// (memberships refer to them); random is crypto/rand.Reader, buffered.
func NewImport(stage *staging.Stage, stagedUsers string, random io.Reader) *Import {
	return &Import{
		stage: stage, stagedUsers: stagedUsers, random: random,
		organisations: stage.Table(StagedOrganisations, "id uuid, slug text, name text, plan text, reporting_mode text"),
		memberships:   stage.Table("import_memberships", "org_id uuid, user_id uuid, role text"),
		players:       stage.Table(StagedPlayers, "id uuid, org_id uuid, display_name text, label text"),
		groups:        stage.Table("import_groups", "id uuid, org_id uuid, name text"),
		groupPlayers:  stage.Table("import_group_players", "group_id uuid, org_id uuid, player_id uuid, place integer"),
	}
}

// Organisation stages an organisation.
func (i *Import) Organisation(line int64, o ImportedOrganisation) {
	i.organisations.Row(line).UUID(o.ID).Text(o.Slug).Text(o.Name).Text(string(o.Plan)).Text(string(o.ReportingMode)).Done()
}

// Membership stages a membership.
func (i *Import) Membership(line int64, m ImportedMembership) {
	i.memberships.Row(line).UUID(m.Organisation).UUID(m.User).Text(string(m.Role)).Done()
}

// Player stages a player, with the label that it gets if it is new.
func (i *Import) Player(line int64, p ImportedPlayer) error {
	label, err := NewLabel(i.random)
	if err != nil {
		return err
	}
	i.players.Row(line).UUID(p.ID).UUID(p.Organisation).Text(p.DisplayName).Text(label).Done()
	return nil
}

// Group stages a group and its members.
func (i *Import) Group(line int64, g ImportedGroup) {
	i.groups.Row(line).UUID(g.ID).UUID(g.Organisation).Text(g.Name).Done()
	for place, player := range g.Players {
		i.groupPlayers.Row(line).UUID(g.ID).UUID(g.Organisation).UUID(player).Int4(int32(place)).Done()
	}
}

// Apply writes the staged objects that are new or differ.
func (i *Import) Apply(ctx context.Context) ([]staging.Count, error) {
	var counts []staging.Count
	for _, apply := range []func(context.Context) (staging.Count, error){
		i.applyOrganisations, i.applyMemberships, i.applyPlayers, i.applyGroups,
	} {
		count, err := apply(ctx)
		if err != nil {
			return nil, err
		}
		counts = append(counts, count)
	}
	return counts, nil
}
