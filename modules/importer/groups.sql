-- Writes groups, and adds or deletes only the memberships that differ. A group whose members change
-- counts as replaced. The parts of the statement read one snapshot and write different rows;
-- foreign keys are checked at its end.
with members as materialized (
    select i.org_id, i.id as group_id, p.ordinal as player
    from import_player_groups i cross join unnest(i.player_ids) m (player_id)
    join players p on p.id = m.player_id
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
select (select count(*) from added), (select count(*) from replaced)
