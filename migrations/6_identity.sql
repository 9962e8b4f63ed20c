-- +goose Up
-- Tables of modules/identity. A host program with its own sign-in omits them.

-- People who sign in. They may belong to several organisations.
create table users (
    id               uuid primary key,
    email            text not null,
    -- The normalised e-mail for comparisons (identity.EmailKey).
    email_key        text not null,
    name             text not null,
    locale           text,
    password_hash    text,
    password_since   timestamptz(3), -- null: the password was imported
    totp_secret      text, -- v1.<key>.<ciphertext> if encrypted
    totp_since       timestamptz(3), -- null: the secret was imported
    -- Time step (30 s since 1970) of the last accepted code. Only codes of later steps are
    -- accepted.
    totp_last_step   bigint,
    -- Counts re-encryptions, which must not end sessions (end_sessions). Only the owner updates it.
    totp_rewritten   integer not null default 0,
    constraint users_email_key unique (email_key) deferrable
);

-- Sessions of people who are signed in, or whose second step is due.
create table sessions (
    token_hash       bytea primary key check (octet_length(token_hash) = 32), -- SHA-256 of a token
    user_id          uuid not null references users on delete cascade,
    created_at       timestamptz(3) not null,
    last_used_at     timestamptz(3) not null,
    -- 12 h after the last use, at most 24 h after the start; 10 minutes for the second step.
    expires_at       timestamptz(3) not null,
    second_step_due  boolean not null,
    -- The offered two-step secret, until a code confirms it.
    totp_offer       text,
    -- When the person last entered the password. Sensitive forms ask for it again after 15 minutes.
    authenticated_at timestamptz(3) not null default now()
);
create index sessions_user on sessions (user_id);
create index sessions_expired on sessions (expires_at);

-- Recovery codes, at most ten for a person. A code is deleted on use, so that it works once.
create table recovery_codes (
    user_id   uuid not null references users on delete cascade,
    code_hash bytea not null check (octet_length(code_hash) = 32), -- SHA-256 of user_id and code
    primary key (user_id, code_hash)
);

-- A reset link of `dg account reset`, with which a person sets a new password once. A newer link
-- replaces it.
create table account_resets (
    user_id    uuid primary key references users on delete cascade,
    token_hash bytea not null unique check (octet_length(token_hash) = 32), -- SHA-256 of the token
    expires_at timestamptz(3) not null
);

-- A change of the password or two-step secret, by any program, ends the person's sessions and voids
-- an unused reset. A re-encryption of the secret does not.
-- +goose StatementBegin
create function end_sessions() returns trigger language plpgsql as $$
begin
    /* identity.end_sessions */
    delete from sessions where user_id = new.id;
    delete from account_resets where user_id = new.id;
    return null;
end $$;
-- +goose StatementEnd
create trigger users_end_sessions after update on users for each row
    when (old.password_hash is distinct from new.password_hash
          or old.totp_secret is distinct from new.totp_secret
             and old.totp_rewritten = new.totp_rewritten)
    execute function end_sessions();

-- Recovery codes belong to a two-step secret. Its replacement or removal voids them.
-- +goose StatementBegin
create function void_recovery_codes() returns trigger language plpgsql as $$
begin
    /* identity.void_recovery_codes */
    delete from recovery_codes where user_id = new.id;
    return null;
end $$;
-- +goose StatementEnd
create trigger users_void_recovery_codes after update on users for each row
    when (old.totp_secret is distinct from new.totp_secret
          and old.totp_rewritten = new.totp_rewritten)
    execute function void_recovery_codes();

-- The check value of DG_SECRET_KEY: a fixed text, encrypted with the key. There is at most one row.
-- While it exists, every two-step secret is encrypted. Only the owner of the tables writes it.
create table secret_key_check (
    one   boolean primary key default true check (one),
    value text not null
);

-- A program without the key would store clear text, which programs with the key refuse.
-- +goose StatementBegin
create function refuse_clear_secret() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
begin
    /* identity.refuse_clear_secret */
    if exists (select from secret_key_check) then
        raise exception 'two-step secrets of this database are encrypted: set DG_SECRET_KEY'
            using errcode = 'check_violation';
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger users_refuse_clear_secret before insert or update of totp_secret on users
    for each row when (new.totp_secret not like 'v1.%')
    execute function refuse_clear_secret();
alter table users enable always trigger users_end_sessions,
    enable always trigger users_void_recovery_codes,
    enable always trigger users_refuse_clear_secret;

-- Counts of wrong passwords, by account and network, and of wrong codes (identity/store_limits.go).
-- Unlogged, for speed: a crash of PostgreSQL loses the counts and locks.
create unlogged table password_guesses (
    key_hash bytea primary key check (octet_length(key_hash) = 32), -- SHA-256 of the limit's key
    wrong    integer not null,
    ends_at  timestamptz(3) not null -- end of the period in which attempts count, or of the lock
);
create index password_guesses_ended on password_guesses (ends_at);
