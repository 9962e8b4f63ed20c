-- +goose Up
-- The key that a key replaced. Keys are never deleted.

alter table api_keys add column replaces text collate "C";
update api_keys k set replaces = e.target_id from audit_entries e
 where e.org_id = k.org_id and e.action = 'api_key.replaced' and e.details->>'replacement' = k.id;
