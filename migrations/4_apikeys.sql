-- +goose Up
-- Tables of modules/apikeys.

-- API keys, never deleted: the audit log and the list name them.
create table api_keys (
    id           text collate "C" primary key,
    org_id       uuid not null,
    name         text not null,
    description  text not null default '' check (char_length(description) <= 200),
    scopes       text[] not null
        check (cardinality(scopes) > 0 and scopes <@ array['forks:read', 'reports:read']),
    secret_hash  bytea not null check (octet_length(secret_hash) = 32), -- SHA-256 of the secret
    created_at   timestamptz(3) not null,
    created_by   text not null, -- the person's id
    creator_name text not null, -- as it was then
    expires_at   timestamptz(3),
    revoked_at   timestamptz(3), -- may lie ahead: a key that is being replaced
    last_used_at timestamptz(3),
    replaces     text collate "C" -- the key that it replaced
) with (fillfactor = 80);
create index api_keys_list on api_keys (org_id, created_at desc, id);
-- The keys that expire soon, which every screen of the organisation names.
create index api_keys_unrevoked on api_keys (org_id, expires_at) where revoked_at is null;

-- The serving role stores new keys and revokes them. A new key is unused, and a revocation is
-- neither taken back nor delayed. It may lie up to a week ahead, and be brought forward. A past
-- instant becomes now: clocks differ, and revoking a leaked key must not fail because of that. A
-- role that may change whole rows, as the owner may, is not restricted.
-- +goose StatementBegin
create function guard_key() returns trigger language plpgsql as $$
declare
    instant constant timestamptz := date_trunc('milliseconds', clock_timestamp());
begin
    if has_table_privilege(tg_relid, 'update') then
        return new;
    end if;
    if tg_op = 'INSERT' then
        if new.revoked_at is not null or new.last_used_at is not null then
            raise insufficient_privilege using message = 'a key is stored unused and not revoked';
        end if;
        return new;
    end if;
    if new.revoked_at is not distinct from old.revoked_at then
        return new;
    end if;
    if new.revoked_at is null or old.revoked_at <= instant or new.revoked_at > old.revoked_at then
        raise insufficient_privilege
            using message = 'a revocation is neither taken back nor put off';
    end if;
    if new.revoked_at > instant + interval '7 days 1 minute' then
        raise insufficient_privilege using message = 'a revocation lies at most a week ahead';
    end if;
    new.revoked_at := greatest(new.revoked_at, instant);
    return new;
end $$;
-- +goose StatementEnd
create trigger key_guard before insert or update of revoked_at on api_keys
    for each row execute function guard_key();

-- The rate limit: for each key a ring of the instants of its last 120 accepted requests, and one of
-- its last 120 refused uses. The slot at head is the oldest: a request is accepted if that slot is
-- 60 s old. Unlogged, for speed: a crash of PostgreSQL empties it, the one exception to the limit.
-- No foreign key, because it would lock the key's row at each request.
create unlogged table api_key_windows (
    key_id   text collate "C" not null,
    refused  boolean not null,
    head     integer not null default 1,
    instants timestamptz[] not null default array_fill('-infinity'::timestamptz, array[120]),
    primary key (key_id, refused)
) with (fillfactor = 40);

-- What became of a key's requests, by UTC day, for 30 days. Instances add what they counted in
-- memory about once a minute.
create table api_key_usage (
    org_id   uuid not null,
    key_id   text collate "C" not null, -- no foreign key: it would lock the key's row
    day      date not null,
    accepted bigint not null,
    refused  bigint not null,
    limited  bigint not null,
    primary key (key_id, day)
) with (fillfactor = 80);
create index api_key_usage_day on api_key_usage (day);
