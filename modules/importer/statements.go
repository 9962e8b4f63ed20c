package importer

// lockOrganisations locks the file's organisations and stages the plans and modes that the import
// replaces. It reads them from the locked rows, because an owner may change them concurrently.
const lockOrganisations = `
	update import_organisations i set old_plan = o.plan, old_mode = o.reporting_mode
	from (
		select o.id, o.plan, o.reporting_mode
		from organisations o join import_organisations i on i.id = o.id
		for no key update of o
	) o
	where o.id = i.id`

// userSince clears what belongs to a password or secret that changes. A trigger ends the person's
// sessions.
const userSince = `,
	password_since = case when o.password_hash is not distinct from i.password_hash
		then o.password_since end,
	totp_since = case when o.totp_secret is not distinct from i.totp_secret
		then o.totp_since end,
	totp_last_step = case when o.totp_secret is not distinct from i.totp_secret
		then o.totp_last_step end`

// underAnotherKey finds stored two-step secrets that are not under the current key, because they
// would seem to differ. They are v1.<key>.<text>; dg encrypts those in clear before an import.
const underAnotherKey = `
	select i.line, 'totpSecret', ''
	from import_users i join users o on o.id = i.id
	where o.totp_secret like 'v1.%'
	  and split_part(o.totp_secret, '.', 2) <> split_part(i.totp_secret, '.', 2)`

const forkColumns = "game_id, slug, title, major, status, visibility, source_locale, " +
	"deployed_release_number, suspended, configuration, created_at, updated_at"

const playerOrdinals = `
	insert into player_ordinals (org_id, last) select distinct org_id, 0 from import_players
	on conflict do nothing`

// insertPlayers gives each new player the next ordinal of its organisation, in the order of the
// file. The update locks the row of player_ordinals until the import ends, so that ordinals are
// unique. A stored player keeps ordinal and label.
const insertPlayers = `
	with fresh as materialized (
		select i.*, row_number() over (partition by org_id order by line) as nth
		from import_players i
		where not exists (select from players p where p.id = i.id)
	), reserved as (
		update player_ordinals o set last = o.last + f.players
		from (select org_id, count(*)::integer as players from fresh group by org_id) f
		where o.org_id = f.org_id
		returning o.org_id, o.last - f.players as before
	)
	insert into players (id, org_id, ordinal, label, display_name)
	select f.id, f.org_id, r.before + f.nth, f.label, f.display_name
	from fresh f join reserved r on r.org_id = f.org_id`

// groupPlayers has a row for each player of the staged groups. place counts from 0.
const groupPlayers = `(
	select i.line, i.id as group_id, i.org_id, m.player_id, m.place - 1 as place
	from import_player_groups i
	cross join unnest(i.player_ids) with ordinality m (player_id, place)
)`

const unknownGroupPlayers = `
	select line, 'playerIds[' || place || ']', player_id::text from ` + groupPlayers + ` m
	where not exists (select from players s where s.id = m.player_id)
	  and not exists (select from import_players s where s.id = m.player_id and s.line < m.line)`

// foreignGroupPlayers finds players of another organisation than the group's. Another rule reports
// a player whose organisation differs from the stored one.
const foreignGroupPlayers = `
	select m.line, 'playerIds[' || m.place || ']', m.player_id::text
	from ` + groupPlayers + ` m
	left join players p on p.id = m.player_id
	left join import_players s on s.id = m.player_id and p.id is null
	where coalesce(p.org_id, s.org_id) <> m.org_id`

// writeGroups writes groups and the differences of their memberships. A group whose members change
// counts as replaced. The parts of the statement read one snapshot and write different rows;
// foreign keys are checked at its end.
const writeGroups = `
	with members as materialized (
		select m.org_id, m.group_id, p.ordinal as player
		from ` + groupPlayers + ` m join players p on p.id = m.player_id
	), added as (
		insert into player_groups (id, org_id, name)
		select id, org_id, name from import_player_groups i
		where not exists (select from player_groups g where g.id = i.id)
		returning id
	), renamed as (
		update player_groups g set name = i.name
		from import_player_groups i where g.id = i.id and g.name <> i.name
		returning g.id
	), removed as (
		delete from group_members m using import_player_groups i
		where m.group_id = i.id and not exists (
			select from members s where s.group_id = m.group_id and s.player = m.player)
		returning m.group_id as id
	), joined as (
		insert into group_members (org_id, group_id, player)
		select org_id, group_id, player from members s where not exists (
			select from group_members m where m.group_id = s.group_id and m.player = s.player)
		returning group_id as id
	), replaced as (
		select id from renamed union select id from removed union select id from joined
		except select id from added
	)
	select (select count(*) from added), (select count(*) from replaced)`

// foreignPlayers finds plays of another organisation's players. Another rule reports a fork or
// player whose organisation differs from the stored one.
const foreignPlayers = `
	select i.line, 'playerId', i.player_id::text
	from import_plays i
	join (select id, org_id from forks
	      union all
	      select id, org_id from import_forks s
	      where not exists (select from forks f where f.id = s.id)) f on f.id = i.fork_id
	join (select id, org_id from players
	      union all
	      select id, org_id from import_players s
	      where not exists (select from players p where p.id = s.id)) p on p.id = i.player_id
	where f.org_id <> p.org_id`

const updatePlays = `
	update plays p
	set started_at = i.started_at, completed_at = i.completed_at, player = l.ordinal,
	    release_number = i.release_number, score = i.score, passed = i.passed, answers = i.answers
	from import_plays i join players l on l.id = i.player_id
	where p.id = i.id
	  and (p.started_at, p.completed_at, p.player, p.release_number, p.score, p.passed, p.answers)
	      is distinct from (i.started_at, i.completed_at, l.ordinal, i.release_number, i.score,
	                        i.passed, i.answers)`

// insertPlays inserts in the order of the index plays_period, so that the plays of a period are in
// few pages.
const insertPlays = `
	insert into plays (id, org_id, fork_id, player, release_number, started_at, completed_at,
	                   score, passed, answers)
	select i.id, l.org_id, i.fork_id, l.ordinal, i.release_number, i.started_at, i.completed_at,
	       i.score, i.passed, i.answers
	from import_plays i join players l on l.id = i.player_id
	where not exists (select from plays p where p.id = i.id)
	order by i.fork_id, i.started_at, i.id`
