-- +goose Up
-- The table of modules/audit. The serving role may add and read entries, not change or remove them (grants.sql).

create table audit_entries (
    id          bigint generated always as identity primary key,
    org_id      uuid not null references organisations,
    at          timestamptz(3) not null,
    actor_kind  text not null check (actor_kind in ('person', 'key')),
    actor_id    text not null,
    actor_name  text not null,
    action      text not null,
    target_kind text not null,
    target_id   text not null,
    reason      text not null default '',
    details     jsonb not null default '{}',
    method      text not null,
    path        text not null,
    address     text not null,
    user_agent  text not null,
    request_id  text not null
);
create index audit_entries_log on audit_entries (org_id, id);
