-- +goose Up
-- A link of `dg account reset`, by which a person sets a new password once. One of a person at most: another replaces it.
create table account_resets (
    user_id    uuid primary key references users on delete cascade,
    token_hash bytea not null unique check (octet_length(token_hash) = 32), -- SHA-256 of the token
    expires_at timestamptz(3) not null
);
