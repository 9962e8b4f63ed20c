package games

import (
	"dg/modules/org"
	"dg/platform/staging"
)

// Rules returns what the module's objects keep. The rules and the writing of plays read organisations and players of
// org: ids, a player's organisation and its ordinal, which the foreign keys of forks and plays refer to.
func (i *Import) Rules() []staging.Rule {
	return []staging.Rule{
		staging.Once(i.games, "games.import_game", "id", "id"),

		staging.Once(i.forks, "games.import_fork", "id", "id"),
		staging.Known("games.import_fork.organisation", staging.Reference{Of: i.forks, Column: "org_id",
			Field: "organisationId", Noun: "organisation", Stored: "organisations", Staged: org.StagedOrganisations}),
		staging.Known("games.import_fork.game", staging.Reference{Of: i.forks, Column: "game_id", Field: "gameId",
			Noun: "game", Stored: "games", Staged: i.games.Name()}),
		staging.Fixed(i.forks, "games.import_fork.organisation", "organisationId", "organisation", "org_id", "forks"),
		staging.Distinct(i.forks, "games.import_fork.slug", "slug", "slug", "org_id", "forks",
			"a slug that no other fork of the organisation has"),

		staging.Once(i.plays, "games.import_play", "id", "id"),
		staging.Known("games.import_play.fork", staging.Reference{Of: i.plays, Column: "fork_id", Field: "forkId",
			Noun: "fork", Stored: "forks", Staged: i.forks.Name()}),
		staging.Known("games.import_play.player", staging.Reference{Of: i.plays, Column: "player_id", Field: "playerId",
			Noun: "player", Stored: "players", Staged: org.StagedPlayers}),
		staging.Fixed(i.plays, "games.import_play.fork", "forkId", "fork", "fork_id", "plays"),
		{Of: i.plays, Name: "games.import_play.player.same", Expected: "a player of the fork's organisation",
			Broken: playersForeign},
	}
}

// The organisation of a fork or player does not change, so the stored one and the staged one are the same, or another
// rule says so.
const playersForeign = `
	select i.line, 'playerId', i.player_id::text
	from import_plays i
	join (select id, org_id from forks
	      union all select id, org_id from import_forks s where not exists (select from forks f where f.id = s.id)) f
	  on f.id = i.fork_id
	join (select id, org_id from players
	      union all select id, org_id from import_players s where not exists (select from players p where p.id = s.id)) p
	  on p.id = i.player_id
	where f.org_id <> p.org_id`
