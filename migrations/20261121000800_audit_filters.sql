-- +goose Up
-- What the audit log is filtered by. Whatever the filters, a page is read from the front of some of these indexes: see
-- modules/audit/store.go.

alter table audit_entries
    -- The key that an entry is about: the one that acted, or the one that was created or revoked.
    add column key_id text generated always as (
        case when actor_kind = 'key' then actor_id when target_kind = 'api_key' then target_id end) stored;

-- The log is in the order of its instants, and of its numbers where these are equal.
drop index audit_entries_log;
create index audit_entries_log on audit_entries (org_id, at, id);
create index audit_entries_kinds on audit_entries (org_id, actor_kind, action, reason, at, id);
create index audit_entries_keys on audit_entries (org_id, key_id, actor_kind, action, reason, at, id) where key_id is not null;
create index audit_entries_people on audit_entries (org_id, actor_id, action, reason, at, id) where actor_kind = 'person';
