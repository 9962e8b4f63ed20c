package org

import (
	"context"
	"fmt"

	"dg/modules/audit"
)

// groupPlayers has a row for each player of the staged groups. place counts from 0.
const groupPlayers = `(
	select i.line, i.id as group_id, i.org_id, m.player_id, m.place - 1 as place
	from import_player_groups i cross join unnest(i.player_ids) with ordinality m (player_id, place)
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

// lockChangedOrganisations locks the organisations that differ, and stores the plans and modes that
// the import replaces. It reads them from the locked rows, because an owner may change them
// concurrently.
const lockChangedOrganisations = `/* org.import_organisations.lock */
	update import_organisations i set old_plan = o.plan, old_mode = o.reporting_mode
	from (
		select o.id, o.plan, o.reporting_mode from organisations o join import_organisations i on i.id = o.id
		where (o.slug, o.name, o.plan, o.reporting_mode) is distinct from (i.slug, i.name, i.plan, i.reporting_mode)
		for no key update of o
	) o
	where o.id = i.id`

func (i *Import) writeOrganisations(ctx context.Context) error {
	if i.organisations.Rows() == 0 {
		return nil
	}
	if _, err := i.stage.Tx().Exec(ctx, lockChangedOrganisations); err != nil {
		return fmt.Errorf("lock organisations: %w", err)
	}
	err := i.stage.Write(ctx, i.organisations, `/* org.import_organisations.update */
		update organisations o
		set slug = i.slug, name = i.name, plan = i.plan, reporting_mode = i.reporting_mode
		from import_organisations i
		where o.id = i.id and i.old_plan is not null`,
		`/* org.import_organisations.insert */
		insert into organisations (id, slug, name, plan, reporting_mode)
		select id, slug, name, plan, reporting_mode from import_organisations i
		where not exists (select from organisations o where o.id = i.id)`)
	if err != nil {
		return err
	}
	return i.recordChanges(ctx)
}

// recordChanges adds an entry to the log of each organisation whose plan or reporting mode the
// import has changed.
func (i *Import) recordChanges(ctx context.Context) error {
	err := audit.AppendChanges(ctx, i.stage.Tx(), audit.PlanChanged, i.request, `
		select id, jsonb_build_object('from', old_plan, 'to', plan) from import_organisations where old_plan <> plan`)
	if err != nil {
		return err
	}
	return audit.AppendChanges(ctx, i.stage.Tx(), audit.ReportingModeChanged, i.request, `
		select id, jsonb_build_object('from', old_mode, 'to', reporting_mode)
		  from import_organisations where old_mode <> reporting_mode`)
}

func (i *Import) writeMemberships(ctx context.Context) error {
	return i.stage.Write(ctx, i.memberships, `/* org.import_memberships.update */
		update memberships m set role = i.role
		from import_memberships i
		where m.org_id = i.org_id and m.user_id = i.user_id and m.role <> i.role`,
		`/* org.import_memberships.insert */
		insert into memberships (org_id, user_id, role)
		select org_id, user_id, role from import_memberships i
		where not exists (select from memberships m where m.org_id = i.org_id and m.user_id = i.user_id)`)
}

// writePlayers gives each new player the next ordinal of its organisation, in the order of the
// file. The update locks the row of player_ordinals until the import ends, so that ordinals are
// unique. A stored player keeps ordinal and label.
func (i *Import) writePlayers(ctx context.Context) error {
	if i.players.Rows() > 0 {
		if _, err := i.stage.Tx().Exec(ctx, `/* org.import_players.ordinals */
			insert into player_ordinals (org_id, last) select distinct org_id, 0 from import_players
			on conflict do nothing`); err != nil {
			return fmt.Errorf("insert into player_ordinals: %w", err)
		}
	}
	return i.stage.Write(ctx, i.players, `/* org.import_players.update */
		update players p set display_name = i.display_name
		from import_players i
		where p.id = i.id and p.display_name <> i.display_name`,
		`/* org.import_players.insert */
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
		from fresh f join reserved r on r.org_id = f.org_id`)
}

// writeGroups writes groups and the differences of their memberships. A group whose members change
// counts as replaced. The parts of the statement read one snapshot and write different rows;
// foreign keys are checked at its end.
func (i *Import) writeGroups(ctx context.Context) error {
	if i.groups.Rows() == 0 {
		return nil
	}
	var added, replaced int64
	err := i.stage.Tx().QueryRow(ctx, `/* org.import_groups */
		with members as materialized (
			select m.org_id, m.group_id, p.ordinal as player
			from `+groupPlayers+` m join players p on p.id = m.player_id
		), added as (
			insert into player_groups (id, org_id, name)
			select id, org_id, name from import_player_groups i
			where not exists (select from player_groups g where g.id = i.id)
			returning id
		), renamed as (
			update player_groups g set name = i.name from import_player_groups i where g.id = i.id and g.name <> i.name
			returning g.id
		), removed as (
			delete from group_members m using import_player_groups i
			where m.group_id = i.id
			  and not exists (select from members s where s.group_id = m.group_id and s.player = m.player)
			returning m.group_id as id
		), joined as (
			insert into group_members (org_id, group_id, player)
			select org_id, group_id, player from members s
			where not exists (select from group_members m where m.group_id = s.group_id and m.player = s.player)
			returning group_id as id
		), replaced as (
			select id from renamed union select id from removed union select id from joined
			except select id from added
		)
		select (select count(*) from added), (select count(*) from replaced)`).
		Scan(&added, &replaced)
	if err != nil {
		return fmt.Errorf("write groups: %w", err)
	}
	i.groups.Record(added, replaced)
	return nil
}
