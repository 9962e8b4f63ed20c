-- +goose Up
-- Triggers run as the role that writes. With its search_path they could write another organisations.
alter function raise_version_of_forks() set search_path = public, pg_temp;
alter function stamp_audit_entry() set search_path = public, pg_temp;
alter function stamp_audit_refusal() set search_path = public, pg_temp;
alter function guard_key() set search_path = public, pg_temp;
