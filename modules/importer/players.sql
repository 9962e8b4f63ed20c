-- Gives each new player the next ordinal of its organisation, in the order of the file. A stored
-- player keeps ordinal and label. The row of player_ordinals stays locked until the import ends, so
-- that ordinals are unique. As in dg erase, it is locked before rows of players, against deadlocks.
with changed as materialized (
    select i.*, o.id is null as fresh,
           row_number() over (partition by i.org_id, o.id is null order by line) as nth
    from import_players i left join players o on o.id = i.id
    where o.display_name is distinct from i.display_name
), reserved as (
    insert into player_ordinals as o (org_id, last)
    select org_id, count(*) filter (where fresh) from changed group by org_id
    on conflict (org_id) do update set last = o.last + excluded.last
    returning org_id, last
), replaced as (
    update players o set display_name = i.display_name
    from changed i join reserved r on r.org_id = i.org_id
    where o.id = i.id and not i.fresh
    returning 1
), added as (
    insert into players (id, org_id, ordinal, label, display_name)
    select f.id, f.org_id,
           r.last - count(*) over (partition by f.org_id) + f.nth, f.label, f.display_name
    from changed f join reserved r on r.org_id = f.org_id
    where f.fresh
    returning 1
)
select (select count(*) from added), (select count(*) from replaced)
