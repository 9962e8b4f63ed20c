-- +goose Up
-- Tables of modules/identity: recovery codes, and what a session is told once.

-- A code that was used is removed: it works once. Ten of a person at most.
create table recovery_codes (
    user_id   uuid not null references users on delete cascade,
    code_hash bytea not null check (octet_length(code_hash) = 32), -- SHA-256 of the person's id and the code
    primary key (user_id, code_hash)
);

-- Recovery codes belong to a two-step secret: another secret, or none, wherever it comes from, voids them.
-- +goose StatementBegin
create function void_recovery_codes() returns trigger language plpgsql as $$
begin
    /* identity.void_recovery_codes */
    delete from recovery_codes where user_id = new.id;
    return null;
end $$;
-- +goose StatementEnd
create trigger users_void_recovery_codes after update on users for each row
    when (old.totp_secret is distinct from new.totp_secret)
    execute function void_recovery_codes();
alter table users enable always trigger users_void_recovery_codes;
