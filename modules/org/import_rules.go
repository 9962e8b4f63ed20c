package org

import "dg/platform/staging"

// Rules returns what the module's objects keep. That a membership's user exists is looked up in users, which belongs to
// identity: it is what the foreign key on memberships refers to, and nothing else of a user is read.
func (i *Import) Rules() []staging.Rule {
	return []staging.Rule{
		staging.Once(i.organisations, "org.import_organisation", "id", "id"),
		staging.Distinct(i.organisations, "org.import_organisation.slug", "slug", "slug", "", "organisations",
			"a slug that no other organisation has"),

		staging.Once(i.memberships, "org.import_membership", "userId", "user_id, org_id"),
		i.ofOrganisation(i.memberships, "org.import_membership.organisation"),
		staging.Known("org.import_membership.user", staging.Reference{
			Of: i.memberships, Column: "user_id", Field: "userId", Noun: "user", Stored: "users", Staged: i.stagedUsers}),

		staging.Once(i.players, "org.import_player", "id", "id"),
		i.ofOrganisation(i.players, "org.import_player.organisation"),
		staging.Fixed(i.players, "org.import_player.organisation", "organisationId", "organisation", "org_id", "players"),

		staging.Once(i.groups, "org.import_group", "id", "id"),
		i.ofOrganisation(i.groups, "org.import_group.organisation"),
		staging.Fixed(i.groups, "org.import_group.organisation", "organisationId", "organisation", "org_id", "player_groups"),
		{Of: i.groupPlayers, Name: "org.import_group.players.known", Expected: knownPlayer, Broken: groupPlayersUnknown},
		{Of: i.groupPlayers, Name: "org.import_group.players.same", Expected: ownPlayer, Broken: groupPlayersForeign},
	}
}

func (i *Import) ofOrganisation(of *staging.Table, name string) staging.Rule {
	return staging.Known(name, staging.Reference{Of: of, Column: "org_id", Field: "organisationId", Noun: "organisation",
		Stored: "organisations", Staged: StagedOrganisations})
}

const (
	knownPlayer = "the id of a player that is stored or stands on an earlier line"
	ownPlayer   = "a player of the group's organisation"
)

const groupPlayersUnknown = `
	select line, 'playerIds[' || place || ']', player_id::text from import_group_players i
	where not exists (select from players s where s.id = i.player_id)
	  and not exists (select from import_players s where s.id = i.player_id and s.line < i.line)`

// A player's organisation does not change, so the stored one and the staged one are the same, or another rule says so.
const groupPlayersForeign = `
	select i.line, 'playerIds[' || i.place || ']', i.player_id::text
	from import_group_players i
	left join players p on p.id = i.player_id
	left join import_players s on s.id = i.player_id and p.id is null
	where coalesce(p.org_id, s.org_id) <> i.org_id`
