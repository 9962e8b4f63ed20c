package org

import (
	"context"
	"fmt"

	"dg/platform/staging"
)

func (i *Import) applyOrganisations(ctx context.Context) (staging.Count, error) {
	return i.stage.Write(ctx, "organisation", i.organisations, `/* org.import_organisations.replace */
		update organisations o
		set slug = i.slug, name = i.name, plan = i.plan, reporting_mode = i.reporting_mode
		from import_organisations i
		where o.id = i.id
		  and (o.slug, o.name, o.plan, o.reporting_mode) is distinct from (i.slug, i.name, i.plan, i.reporting_mode)`,
		`/* org.import_organisations.add */
		insert into organisations (id, slug, name, plan, reporting_mode)
		select id, slug, name, plan, reporting_mode from import_organisations i
		where not exists (select from organisations o where o.id = i.id)`)
}

func (i *Import) applyMemberships(ctx context.Context) (staging.Count, error) {
	return i.stage.Write(ctx, "membership", i.memberships, `/* org.import_memberships.replace */
		update memberships m set role = i.role
		from import_memberships i
		where m.org_id = i.org_id and m.user_id = i.user_id and m.role <> i.role`,
		`/* org.import_memberships.add */
		insert into memberships (org_id, user_id, role)
		select org_id, user_id, role from import_memberships i
		where not exists (select from memberships m where m.org_id = i.org_id and m.user_id = i.user_id)`)
}

// applyPlayers gives each new player the next ordinal of its organisation, in the order of the file. The row of
// player_ordinals is locked by its update until the import ends, so no ordinal is given twice; a stored player keeps
// ordinal and label.
func (i *Import) applyPlayers(ctx context.Context) (staging.Count, error) {
	if i.players.Rows() > 0 {
		if _, err := i.stage.Tx().Exec(ctx, `/* org.import_players.ordinals */
			insert into player_ordinals (org_id, last) select distinct org_id, 0 from import_players
			on conflict do nothing`); err != nil {
			return staging.Count{}, fmt.Errorf("begin player ordinals: %w", err)
		}
	}
	return i.stage.Write(ctx, "player", i.players, `/* org.import_players.replace */
		update players p set display_name = i.display_name
		from import_players i
		where p.id = i.id and p.display_name <> i.display_name`,
		`/* org.import_players.add */
		with fresh as materialized (
			select i.*, row_number() over (partition by org_id order by line) as nth
			from import_players i
			where not exists (select from players p where p.id = i.id)
		), given as (
			update player_ordinals o set last = o.last + f.players
			from (select org_id, count(*)::integer as players from fresh group by org_id) f
			where o.org_id = f.org_id
			returning o.org_id, o.last - f.players as before
		)
		insert into players (id, org_id, ordinal, label, display_name)
		select f.id, f.org_id, g.before + f.nth, f.label, f.display_name
		from fresh f join given g on g.org_id = f.org_id`)
}

// applyGroups writes groups and the differences of their memberships; a group whose members changed counts as replaced.
// The parts see one snapshot and touch different rows; the foreign keys are checked when all are done.
func (i *Import) applyGroups(ctx context.Context) (staging.Count, error) {
	c := staging.Count{Type: "group"}
	if i.groups.Rows() == 0 {
		return c, nil
	}
	err := i.stage.Tx().QueryRow(ctx, `/* org.import_groups */
		with staged as materialized (
			select m.org_id, m.group_id, p.ordinal as player
			from import_group_players m join players p on p.id = m.player_id
		), added as (
			insert into player_groups (id, org_id, name)
			select id, org_id, name from import_groups i where not exists (select from player_groups g where g.id = i.id)
			returning id
		), renamed as (
			update player_groups g set name = i.name from import_groups i where g.id = i.id and g.name <> i.name
			returning g.id
		), left_group as (
			delete from group_members m using import_groups i
			where m.group_id = i.id
			  and not exists (select from staged s where s.group_id = m.group_id and s.player = m.player)
			returning m.group_id as id
		), joined as (
			insert into group_members (org_id, group_id, player)
			select org_id, group_id, player from staged s
			where not exists (select from group_members m where m.group_id = s.group_id and m.player = s.player)
			returning group_id as id
		), replaced as (
			select id from renamed union select id from left_group union select id from joined
			except select id from added
		)
		select (select count(*) from added), (select count(*) from replaced)`).Scan(&c.Added, &c.Replaced)
	if err != nil {
		return c, fmt.Errorf("write groups: %w", err)
	}
	c.Unchanged = i.groups.Rows() - c.Added - c.Replaced
	return c, nil
}
