-- +goose Up
-- The hash of a day's plays, from which reports derive their ETags. Earlier sealers do not update
-- it, but they seal days with an earlier version, whose hash is not read.
alter table fork_days add column hash bigint;
