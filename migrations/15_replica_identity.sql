-- +goose Up
-- Without a replica identity, a publication of all tables refuses deletes, and so sealing.
alter table unsealed_days replica identity full;
alter table unsealed_months replica identity full;
