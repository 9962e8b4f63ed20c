-- +goose Up
-- Tables of modules/apikeys.

-- API keys are never deleted, because the audit log and the list name them.
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
    creator_name text not null, -- when the key was created
    expires_at   timestamptz(3),
    revoked_at   timestamptz(3), -- in the future during a replacement's overlap
    last_used_at timestamptz(3),
    replaces     text collate "C" -- id of the key that this key replaced
) with (fillfactor = 80);
create index api_keys_list on api_keys (org_id, created_at desc, id);
-- For keys that expire soon, which every screen of the organisation lists.
create index api_keys_unrevoked on api_keys (org_id, expires_at) where revoked_at is null;

-- The serving role stores new keys and revokes them. A new key is unused. A revocation may lie up
-- to a week ahead; it may be moved earlier, but not undone or delayed. A past instant becomes now,
-- so that clock skew cannot fail the revocation of a leaked key. A role that may update whole rows,
-- such as the owner, is not restricted.
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

-- The rate limit: a ring buffer of the instants of a key's last 120 accepted requests, and one of
-- its last 120 refused requests. The slot at head has the oldest instant. A request is accepted if
-- that instant is at least 60 s old. Unlogged, for speed: a crash or failover of PostgreSQL empties
-- the table. No foreign key, because it would lock the key's row at each request.
create unlogged table api_key_windows (
    key_id   text collate "C" not null,
    refused  boolean not null,
    head     integer not null default 1,
    instants timestamptz[] not null default array_fill('-infinity'::timestamptz, array[120]),
    primary key (key_id, refused)
) with (fillfactor = 40);

-- Counts of a key's requests by result and UTC day, kept for 30 days. About once a minute, each
-- instance adds the counts that it has in memory.
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
