-- +goose Up
-- As in 16_search_path.sql, for the functions of modules/org and modules/identity.
alter function raise_organisation_version() set search_path = public, pg_temp;
alter function refuse_new_pseudonym() set search_path = public, pg_temp;
alter function end_sessions() set search_path = public, pg_temp;
alter function void_recovery_codes() set search_path = public, pg_temp;
