-- +goose Up
-- Groups are listed and searched by their names: each dashboard of an organisation with 20,000 sorted them all.
create index player_groups_name on player_groups (org_id, name, id);
