package importer

import _ "embed"

var (
	//go:embed players.sql
	writePlayers string
	//go:embed groups.sql
	writeGroups string
	//go:embed plays.sql
	writePlays string
)

// lockOrganisations keeps the old plan and mode in audit entries true until the import commits.
const lockOrganisations = `
	select from organisations o join import_organisations i on i.id = o.id
	order by o.id for no key update of o`

const planChanges = `
	select i.id, jsonb_build_object('from', o.plan, 'to', i.plan)
	from import_organisations i join organisations o on o.id = i.id
	where o.plan <> i.plan`

const modeChanges = `
	select i.id, jsonb_build_object('from', o.reporting_mode, 'to', i.reporting_mode)
	from import_organisations i join organisations o on o.id = i.id
	where o.reporting_mode <> i.reporting_mode`

// userSince clears what belongs to a password or secret that changes. A trigger ends the person's
// sessions.
const userSince = `,
	password_since = case when o.password_hash is not distinct from i.password_hash
		then o.password_since end,
	totp_since = case when o.totp_secret is not distinct from i.totp_secret
		then o.totp_since end,
	totp_last_step = case when o.totp_secret is not distinct from i.totp_secret
		then o.totp_last_step end`

// underAnotherKey finds stored two-step secrets that are not under the current key: equal secrets
// would seem to differ. They are v1.<key>.<text>; dg encrypts those in clear before an import.
const underAnotherKey = `
	select i.line, 'totpSecret', ''
	from import_users i join users o on o.id = i.id
	where o.totp_secret like 'v1.%'
	  and split_part(o.totp_secret, '.', 2) <> split_part(i.totp_secret, '.', 2)`

// groupPlayers has a row for each player of the staged groups. place counts from 0.
const groupPlayers = `(
	select i.line, i.id as group_id, i.org_id, m.player_id, m.place - 1 as place
	from import_player_groups i
	cross join unnest(i.player_ids) with ordinality m (player_id, place)
)`

const unknownGroupPlayers = `
	select line, 'playerIds[' || place || ']', coalesce(player_id::text, 'null')
	from ` + groupPlayers + ` m
	where not exists (select from players s where s.id = m.player_id)`

const repeatedGroupPlayers = `
	select line, 'playerIds[' || place || ']', player_id::text from (
		select *, row_number() over (partition by group_id, player_id order by place) as nth
		from ` + groupPlayers + ` m where player_id is not null
	) m where nth > 1`

const foreignGroupPlayers = `
	select m.line, 'playerIds[' || m.place || ']', m.player_id::text
	from ` + groupPlayers + ` m join players p on p.id = m.player_id
	where p.org_id <> m.org_id`

const foreignPlayers = `
	select i.line, 'playerId', i.player_id::text
	from import_plays i join forks f on f.id = i.fork_id join players p on p.id = i.player_id
	where f.org_id <> p.org_id`
