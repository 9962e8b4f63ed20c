-- +goose Up
-- The region in whose way a person reads numbers and dates: a tag such as de-DE, or null where the browser decides.
-- users.locale is what an import says of a person.
alter table users add column region text;
