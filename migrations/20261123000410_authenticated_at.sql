-- +goose Up
-- When the person of a session last entered the password, and the code where two-step verification
-- is on: new keys and a change of the reporting mode ask for it again after 15 minutes. A session
-- is only inserted after a right password. Null: the session began before this column.
alter table sessions add column authenticated_at timestamptz(3);
alter table sessions alter column authenticated_at set default now();
