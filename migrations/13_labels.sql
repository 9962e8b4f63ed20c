-- +goose Up
-- Labels of players are kept in memory for one version. It is random: a counter would repeat after a
-- restore or failover. A transaction draws it once for an organisation, because others see all of
-- its changes together. It is not deferred: its row is locked before those of players.
alter table player_ordinals
    add column version bigint not null default uuid_hash_extended(gen_random_uuid(), 0);

-- It runs as its owner, so that a role that may write players changes their version.
-- +goose StatementBegin
create function draw_version_of_players() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
declare
    organisation uuid;
begin
    if tg_op = 'TRUNCATE' then
        update player_ordinals set version = uuid_hash_extended(gen_random_uuid(), 0);
        return null;
    end if;
    if tg_op = 'DELETE' then
        organisation := old.org_id;
    else
        organisation := new.org_id;
    end if;
    if current_setting('dg.drawn_version', true) is distinct from organisation::text then
        update player_ordinals set version = uuid_hash_extended(gen_random_uuid(), 0)
         where org_id = organisation;
        perform set_config('dg.drawn_version', organisation::text, true);
    end if;
    return null;
end $$;
-- +goose StatementEnd
create trigger player_version after insert or update or delete on players
    for each row execute function draw_version_of_players();
create trigger player_version_truncate after truncate on players
    for each statement execute function draw_version_of_players();
alter table players enable always trigger player_version,
    enable always trigger player_version_truncate;
