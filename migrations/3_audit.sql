-- +goose Up
-- Tables of modules/audit.

-- The entries of the audit logs. The serving role can add and read entries, but not change or
-- delete them.
create table audit_entries (
    id          bigint primary key,
    org_id      uuid not null,
    at          timestamptz(3) not null,
    actor_kind  text not null check (actor_kind in ('person', 'key', 'operator')),
    actor_id    text not null,
    actor_name  text not null, -- at the time of the entry
    action      text not null,
    target_kind text not null,
    target_id   text not null,
    reason      text not null default '',
    details     jsonb not null default '{}',
    method      text not null,
    path        text not null,
    address     text not null,
    user_agent  text not null,
    request_id  text not null
);
-- Every page of the log has this order, with any filter.
create index audit_entries_log on audit_entries (org_id, at, id);
-- For the list of people by whom the log can be filtered.
create index audit_entries_people on audit_entries (org_id, actor_id, at, id)
    where actor_kind = 'person';

-- The database sets each entry's instant and id: clock skew between instances cannot disorder the
-- log, and the serving role cannot choose a position in it. An id begins with the instant's
-- microseconds, which order entries of one millisecond. 53 random bits follow, because consecutive
-- numbers would reveal the size of other logs. The tables' owner may choose both, to restore a log.
-- +goose StatementBegin
create function stamp_audit_entry() returns trigger language plpgsql as $$
declare
    stamped constant boolean := not has_table_privilege(tg_relid, 'update');
    instant constant timestamptz := statement_timestamp();
begin
    if stamped or new.at is null then
        new.at := date_trunc('milliseconds', instant);
    end if;
    if stamped or new.id is null then
        new.id := ((extract(microseconds from instant)::bigint % 1000) << 53)
                  | (uuid_hash_extended(gen_random_uuid(), 0) & ((1::bigint << 53) - 1));
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger audit_entry_stamp before insert on audit_entries
    for each row execute function stamp_audit_entry();

-- Refusals beyond a key's first 120 in a minute, counted by key, reason and minute, so that a flood
-- does not add millions of entries.
create table audit_refusals (
    org_id   uuid not null,
    key_id   text not null,
    key_name text not null, -- at the first refusal
    reason   text not null,
    at       timestamptz(3) not null, -- when the minute begins
    -- 53 random bits, as in the id of an entry
    id       bigint not null
        default uuid_hash_extended(gen_random_uuid(), 0) & ((1::bigint << 53) - 1),
    refusals bigint not null default 1, -- not indexed, so that updates are HOT
    primary key (org_id, key_id, reason, at)
) with (fillfactor = 50);
create index audit_refusals_log on audit_refusals (org_id, at, id);
