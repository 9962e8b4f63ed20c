-- +goose Up
-- Tables of modules/apikeys.

create table api_keys (
    id           text collate "C" primary key,
    org_id       uuid not null references organisations,
    name         text not null,
    scopes       text[] not null check (cardinality(scopes) > 0 and scopes <@ array['forks:read', 'reports:read']),
    secret_hash  bytea not null check (octet_length(secret_hash) = 32), -- SHA-256 of the secret
    created_at   timestamptz(3) not null,
    created_by   text not null, -- who: the person's id and, as it was then, name
    creator_name text not null,
    expires_at   timestamptz(3),
    revoked_at   timestamptz(3),
    last_used_at timestamptz(3)
) with (fillfactor = 80);
create index api_keys_list on api_keys (org_id, created_at desc, id);

-- The rate: for each key a ring of the instants of its last 120 accepted requests, and one of its last 120 refused uses.
-- The slot at head is the oldest, so one more is taken exactly when that slot is 60 s old. Unlogged: a crash of PostgreSQL
-- empties it, which is the one exception to the rate. No foreign key: it would lock the key's row at each request.
create unlogged table api_key_windows (
    key_id   text collate "C" not null,
    refused  boolean not null,
    head     integer not null default 1,
    instants timestamptz[] not null default array_fill('-infinity'::timestamptz, array[120]),
    primary key (key_id, refused)
) with (fillfactor = 40);
