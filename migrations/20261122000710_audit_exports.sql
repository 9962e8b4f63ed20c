-- +goose Up
-- The two entries of an export find each other, and the log of a fork is read from the front of an index.
create index audit_entries_exports on audit_entries (org_id, request_id, at) where action in ('export.started', 'export.finished');
create index audit_entries_forks on audit_entries (org_id, target_id, actor_kind, action, reason, at, id) where target_kind = 'fork';
-- The replacement of a key is in the log of the new one too.
create index audit_entries_successors on audit_entries (org_id, (details->>'replacement'), at, id) where action = 'api_key.replaced';
