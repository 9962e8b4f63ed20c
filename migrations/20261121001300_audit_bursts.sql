-- +goose Up
-- What is counted in the log of modules/audit instead of recorded one by one: see its doc.go.

-- A burst is what one actor of an organisation was refused too often for one reason, within the last two minutes or so.
-- Logged: what a crash of PostgreSQL takes away is the count, and this says whose.
create table audit_bursts (
    id         bigint generated always as identity primary key,
    org_id     uuid not null references organisations,
    actor_kind text not null,
    actor_id   text not null,
    actor_name text not null, -- as it was then
    action     text not null,
    reason     text not null,
    touched_at timestamptz not null, -- at most a minute before its newest event
    unique (org_id, actor_kind, actor_id, action, reason)
);

-- A row for each event of a burst until it is counted: an insert waits for no other, and costs the same while an old
-- snapshot keeps dead rows alive, which a counter that is updated does not. Unlogged, so that a flood writes no log.
create unlogged table audit_burst_events (
    burst bigint not null
);
-- Burst 0 is none. Its one row is lost together with the others: that is how a crash is noticed.
insert into audit_burst_events (burst) values (0);
