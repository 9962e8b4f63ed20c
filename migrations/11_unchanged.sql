-- +goose Up
-- The hash of a day's plays: a tag proves by it that an answer has not changed. Sealers before this
-- version leave it as it is, and seal days of an earlier version, whose hash is not read.
alter table fork_days add column hash bigint;
