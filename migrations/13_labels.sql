-- +goose Up
-- Labels of players are cached by version. The version is random, because a counter would repeat
-- after a restore or failover. One change in a transaction suffices for an organisation. The trigger
-- is not deferred, so that writers lock player_ordinals early (app/mechanisms.md).
alter table player_ordinals
    add column version bigint not null default uuid_hash_extended(gen_random_uuid(), 0);

-- The function runs as its owner, so that every role that may write players can change the version.
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
