-- +goose Up
-- Tables of modules/identity: browsers that have signed in before, and the waits after wrong codes.

-- What is counted here is no longer e-mails alone: 'account:' and identity.EmailKey, 'address:' and the client's network,
-- 'browser:', 'session:' or 'failures:' and whose they are.
comment on column password_guesses.email_hash is 'SHA-256 of what the wrong passwords are counted for: see modules/identity/guesses.go';

-- How many waits in a row wrong codes have led to: each is twice as long as the one before, until a right one.
alter table users add column code_waits integer not null default 0;

-- A browser that has signed in as a person before. It lets nobody in: it has a count of wrong passwords of its own, so that
-- others who guess at the account do not lock its person out. At most 20 of a person, for 180 days after the last sign-in.
create table known_browsers (
    token_hash   bytea primary key check (octet_length(token_hash) = 32), -- SHA-256 of the cookie's value
    user_id      uuid not null references users on delete cascade,
    last_used_at timestamptz(3) not null
);
create index known_browsers_user on known_browsers (user_id);
create index known_browsers_used on known_browsers (last_used_at);

-- The known browser that a session was begun in, whose wrong codes are counted apart from the person's; null: in another.
alter table sessions add column known_browser bytea;
