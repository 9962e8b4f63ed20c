-- +goose Up
-- An import adds forks long before it commits. Changing the version at once would lock the
-- organisation until then, so a deferred trigger changes it at the commit, once for many forks.
drop trigger fork_insert on forks;
drop trigger fork_update on forks;
drop trigger fork_delete on forks;

-- +goose StatementBegin
create or replace function raise_version_of_forks() returns trigger language plpgsql as $$
declare
    changed uuid[];
begin
    if tg_op = 'TRUNCATE' then
        update organisations set version = uuid_hash_extended(gen_random_uuid(), 0);
        return null;
    end if;
    changed := array[new.org_id, old.org_id];
    if current_setting('dg.raised_version', true) is distinct from changed::text then
        update organisations set version = uuid_hash_extended(gen_random_uuid(), 0)
         where id = any (changed);
        perform set_config('dg.raised_version', changed::text, true);
    end if;
    return null;
end $$;
-- +goose StatementEnd
create constraint trigger fork_change after insert or update or delete on forks
    deferrable initially deferred for each row execute function raise_version_of_forks();
alter table forks enable always trigger fork_change;
