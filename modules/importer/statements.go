package importer

import (
	_ "embed"
	"fmt"
)

var (
	//go:embed users.sql
	writeUsers string
	//go:embed players.sql
	writePlayers string
	//go:embed groups.sql
	writeGroups string
	//go:embed plays.sql
	writePlays string
)

// changesOf selects the organisations whose column changes, for their audit entries.
func changesOf(column string) string {
	return fmt.Sprintf(`
		select i.id, jsonb_build_object('from', o.%[1]s, 'to', i.%[1]s)
		from import_organisations i join organisations o on o.id = i.id
		where o.%[1]s <> i.%[1]s`, column)
}

const foreignGroupPlayers = `
	select i.line, 'playerIds[' || m.place - 1 || ']', coalesce(m.player_id::text, 'null')
	from import_player_groups i
	cross join unnest(i.player_ids) with ordinality m (player_id, place)
	where not exists (select from players p where p.id = m.player_id and p.org_id = i.org_id)`

const foreignPlayers = `
	select i.line, 'playerId', i.player_id::text
	from import_plays i join forks f on f.id = i.fork_id join players p on p.id = i.player_id
	where f.org_id <> p.org_id`
