-- +goose Up
-- Tables of modules/identity: sessions and what guessing is counted in.

alter table users
    -- When the password and the two-step secret became what they are; null: before it was recorded, or elsewhere.
    add column password_since timestamptz(3),
    add column totp_since timestamptz(3),
    -- The time step (of 30 s since 1970) of the last code that was accepted: only later ones are.
    add column totp_last_step bigint,
    -- The wrong codes since the last right one, and until when the step waits once they were too many.
    add column wrong_codes integer not null default 0,
    add column codes_wait_until timestamptz(3);

create table sessions (
    token_hash      bytea primary key check (octet_length(token_hash) = 32), -- SHA-256 of the token
    user_id         uuid not null references users on delete cascade,
    created_at      timestamptz(3) not null,
    last_used_at    timestamptz(3) not null,
    -- From this instant on it has ended: 12 h after the last use, 24 h after the start, or 10 minutes for the second step.
    expires_at      timestamptz(3) not null,
    second_step_due boolean not null,
    address         text not null, -- of the browser, and what it calls itself: to be recognised by its person
    user_agent      text not null,
    -- The secret that two-step verification is being set up with, not in force before a code of it is confirmed.
    totp_offer      text
);
create index sessions_user on sessions (user_id);
create index sessions_expired on sessions (expires_at);

-- A change of password or two-step secret, wherever it comes from, ends all sessions of that person.
-- +goose StatementBegin
create function end_sessions() returns trigger language plpgsql as $$
begin
    /* identity.end_sessions */
    delete from sessions where user_id = new.id;
    return null;
end $$;
-- +goose StatementEnd
create trigger users_end_sessions after update on users for each row
    when (old.password_hash is distinct from new.password_hash or old.totp_secret is distinct from new.totp_secret)
    execute function end_sessions();
alter table users enable always trigger users_end_sessions;

-- Wrong passwords for an e-mail, known or not, within a minute. Unlogged: a crash of PostgreSQL forgets a minute of them.
create unlogged table password_guesses (
    email_hash bytea primary key check (octet_length(email_hash) = 32), -- SHA-256 of identity.EmailKey
    wrong      integer not null,
    ends_at    timestamptz(3) not null -- of the minute in which they are counted, or of the wait
);
create index password_guesses_ended on password_guesses (ends_at);
