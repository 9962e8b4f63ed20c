-- +goose Up
-- The sizes of the blocks of a month's tail (segment.Month), so that a report on a group reads only
-- the blocks with members. Months of earlier versions have no sizes, and are sealed again.
alter table fork_months add column block_bytes integer[] not null default '{}';
