-- +goose Up
-- An organisation's version is a random value, drawn anew with every change to the organisation or its forks. One that
-- counts repeats where history is lost: after a failover or a restore the same number stood for other data, and caches and
-- ETags took the one for the other.

-- +goose StatementBegin
create or replace function raise_organisation_version() returns trigger language plpgsql as $$
begin
    new.version := uuid_hash_extended(gen_random_uuid(), 0);
    return new;
end $$;
-- +goose StatementEnd

-- What is set here only makes the row differ: the trigger above draws.
-- +goose StatementBegin
create or replace function raise_version_of_forks() returns trigger language plpgsql as $$
begin
    if tg_op = 'TRUNCATE' then
        update organisations set version = uuid_hash_extended(gen_random_uuid(), 0);
    elsif tg_op = 'UPDATE' then
        update organisations set version = uuid_hash_extended(gen_random_uuid(), 0)
         where id in (select org_id from changed union select org_id from former);
    else
        update organisations set version = uuid_hash_extended(gen_random_uuid(), 0) where id in (select org_id from changed);
    end if;
    return null;
end $$;
-- +goose StatementEnd

-- A trigger in place of another default: it does not wait for those who only read the table, as every export does.
create trigger organisation_version_first before insert on organisations
    for each row execute function raise_organisation_version();
alter table organisations enable always trigger organisation_version_first;
update organisations set version = uuid_hash_extended(gen_random_uuid(), 0);
