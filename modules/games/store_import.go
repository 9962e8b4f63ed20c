package games

import (
	"context"
	"fmt"
)

// foreignPlayers finds plays of another organisation's players. It reads players, a table of
// package org. Another rule reports a fork or player whose organisation differs from the stored
// one.
const foreignPlayers = `
	select i.line, 'playerId', i.player_id::text
	from import_plays i
	join (select id, org_id from forks
	      union all select id, org_id from import_forks s where not exists (select from forks f where f.id = s.id)) f
	  on f.id = i.fork_id
	join (select id, org_id from players
	      union all select id, org_id from import_players s where not exists (select from players p
	        where p.id = s.id)) p
	  on p.id = i.player_id
	where f.org_id <> p.org_id`

func (i *Import) writeGames(ctx context.Context) error {
	return i.stage.Write(ctx, i.games, `/* games.import_games.update */
		update games g set slug = i.slug, title = i.title
		from import_games i
		where g.id = i.id and (g.slug, g.title) is distinct from (i.slug, i.title)`,
		`/* games.import_games.insert */
		insert into games (id, slug, title)
		select id, slug, title from import_games i where not exists (select from games g where g.id = i.id)`)
}

func (i *Import) writeForks(ctx context.Context) error {
	return i.stage.Write(ctx, i.forks, `/* games.import_forks.update */
		update forks f
		set game_id = i.game_id, slug = i.slug, title = i.title, major = i.major, status = i.status,
		    visibility = i.visibility, source_locale = i.source_locale,
		    deployed_release_number = i.deployed_release_number, suspended = i.suspended,
		    configuration = i.configuration, created_at = i.created_at, updated_at = i.updated_at
		from import_forks i
		where f.id = i.id
		  and (f.game_id, f.slug, f.title, f.major, f.status, f.visibility, f.source_locale, f.deployed_release_number,
		       f.suspended, f.configuration, f.created_at, f.updated_at)
		      is distinct from
		      (i.game_id, i.slug, i.title, i.major, i.status, i.visibility, i.source_locale, i.deployed_release_number,
		       i.suspended, i.configuration, i.created_at, i.updated_at)`,
		`/* games.import_forks.insert */
		insert into forks (id, org_id, game_id, slug, title, major, status, visibility, source_locale,
		                   deployed_release_number, suspended, configuration, created_at, updated_at)
		select id, org_id, game_id, slug, title, major, status, visibility, source_locale,
		       deployed_release_number, suspended, configuration, created_at, updated_at
		from import_forks i
		where not exists (select from forks f where f.id = i.id)`)
}

// analyzeFrom is the number of changed plays from which an import updates the planner's statistics,
// before autovacuum does.
const analyzeFrom = 10_000

// writePlays inserts new plays in the order of the index plays_period, so that the plays of a
// period are in few pages.
func (i *Import) writePlays(ctx context.Context) error {
	err := i.stage.Write(ctx, i.plays, `/* games.import_plays.update */
		update plays p
		set started_at = i.started_at, completed_at = i.completed_at, player = l.ordinal,
		    release_number = i.release_number, score = i.score, passed = i.passed, answers = i.answers
		from import_plays i join players l on l.id = i.player_id
		where p.id = i.id
		  and (p.started_at, p.completed_at, p.player, p.release_number, p.score, p.passed, p.answers)
		      is distinct from
		      (i.started_at, i.completed_at, l.ordinal, i.release_number, i.score, i.passed, i.answers)`,
		`/* games.import_plays.insert */
		insert into plays (started_at, completed_at, player, release_number, score, passed, id,
		  org_id, fork_id, answers)
		select i.started_at, i.completed_at, l.ordinal, i.release_number, i.score, i.passed, i.id, l.org_id, i.fork_id,
		       i.answers
		from import_plays i join players l on l.id = i.player_id
		where not exists (select from plays p where p.id = i.id)
		order by i.fork_id, i.started_at, i.id`)
	if err != nil || i.plays.Changed() < analyzeFrom {
		return err
	}
	if _, err := i.stage.Tx().
		Exec(ctx, "/* games.import_plays.analyze */ analyze plays"); err != nil {
		return fmt.Errorf("analyze plays: %w", err)
	}
	return nil
}
