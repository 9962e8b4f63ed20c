-- +goose Up
-- A form that creates a key does it once, however often it is sent.

alter table api_keys
    -- What the form held against being sent twice; null where there was no form.
    add column once uuid;
create unique index api_keys_once on api_keys (org_id, once) where once is not null;
-- The keys that are not revoked: how many still work, and which of them end soon.
create index api_keys_unrevoked on api_keys (org_id, expires_at) where revoked_at is null;
