-- +goose Up
-- Sealing deletes marks, which a publication of all tables refuses without a replica identity.
alter table unsealed_days replica identity full;
alter table unsealed_months replica identity full;
