-- +goose Up
-- The oldest program that may work with this schema, by the newest migration that it knows: an older one refuses to start.
-- A migration that such a program could not work with raises it, with an update.

create table schema_minimum (version bigint not null);
create unique index schema_minimum_row on schema_minimum ((true)); -- one row
insert into schema_minimum values (20261121000900);
