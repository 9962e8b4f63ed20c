-- +goose Up
-- Trigger functions run as the role that writes. With that role's search_path, they could use a table
-- of the same name in another schema.
alter function raise_version_of_forks() set search_path = public, pg_temp;
alter function stamp_audit_entry() set search_path = public, pg_temp;
alter function stamp_audit_refusal() set search_path = public, pg_temp;
alter function guard_key() set search_path = public, pg_temp;
