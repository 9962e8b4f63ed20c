-- +goose Up
-- The hash of a day's plays, from which reports derive their ETags. A sealer of an earlier release
-- leaves an outdated hash, but packs the day with an earlier DayVersion: reports ignore such hashes.
alter table fork_days add column hash bigint;
