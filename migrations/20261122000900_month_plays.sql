-- +goose Up
-- A month's segment also has the plays of each player, behind the sums of all: what the report of a large group reads. Months
-- that were sealed before have another version in their first byte, and are sealed again.
alter table fork_months add column head_bytes integer not null default 0;
