-- +goose Up
-- Refusals above the limit are counted in a row for each key, reason and minute, which the log shows beside its entries.
drop table audit_bursts, audit_burst_events;
create table audit_refusals (
    org_id   uuid not null references organisations,
    key_id   text not null,
    key_name text not null, -- of the first
    reason   text not null,
    at       timestamptz(3) not null, -- the minute's beginning
    id       bigint not null default uuid_hash_extended(gen_random_uuid(), 0) & ((1::bigint << 53) - 1), -- as of an entry
    refusals bigint not null default 1, -- in no index, so that an update stays on its page
    primary key (org_id, key_id, reason, at)
) with (fillfactor = 50);
create index audit_refusals_log on audit_refusals (org_id, at, id);

-- The log is read by its order, whatever the filters. One index lists the people who acted.
drop index audit_entries_kinds, audit_entries_keys, audit_entries_people, audit_entries_exports, audit_entries_forks,
    audit_entries_successors;
alter table audit_entries drop column key_id;
create index audit_entries_people on audit_entries (org_id, actor_id, at, id) where actor_kind = 'person';
