-- Gives each new player the next ordinal of its organisation, in the order of the
-- file. A stored player keeps ordinal and label. The row of player_ordinals is locked until the
-- import ends, so that ordinals are unique.
with replaced as (
    update players o set display_name = i.display_name from import_players i
    where o.id = i.id and o.display_name <> i.display_name
    returning 1
), fresh as materialized (
    select i.*, row_number() over (partition by org_id order by line) as nth
    from import_players i
    where not exists (select from players o where o.id = i.id)
), reserved as (
    insert into player_ordinals as o (org_id, last)
    select org_id, count(*) from fresh group by org_id
    on conflict (org_id) do update set last = o.last + excluded.last
    returning org_id, last
), added as (
    insert into players (id, org_id, ordinal, label, display_name)
    select f.id, f.org_id,
           r.last - count(*) over (partition by f.org_id) + f.nth, f.label, f.display_name
    from fresh f join reserved r on r.org_id = f.org_id
    returning 1
)
select (select count(*) from added), (select count(*) from replaced)
