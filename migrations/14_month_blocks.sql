-- +goose Up
-- The sizes of the blocks of a month's tail (segment.Month), so that reports on groups read those of
-- their members only. Months of earlier versions have none, and are sealed again.
alter table fork_months add column block_bytes integer[] not null default '{}';
