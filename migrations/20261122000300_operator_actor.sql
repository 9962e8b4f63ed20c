-- +goose Up
-- The operator acts too: dg audit prune, dg erase and dg keys revoke. Not valid: rows of before fit the check that it replaces,
-- and the table is not read under the lock.
alter table audit_entries drop constraint audit_entries_actor_kind_check;
alter table audit_entries add constraint audit_entries_actor_kind_check check (actor_kind in ('person', 'key', 'operator')) not valid;
