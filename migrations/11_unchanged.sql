-- +goose Up
-- The hash of a day's plays, from which reports derive their ETags. A sealer of an earlier release
-- does not update the hash, but its segment has an earlier DayVersion. Reports then ignore the hash.
alter table fork_days add column hash bigint;
