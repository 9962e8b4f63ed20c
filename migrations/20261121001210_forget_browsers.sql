-- +goose Up
-- Another password or two-step secret, wherever it comes from, also ends what was trusted under the old one: the browsers
-- that are known, and a reset that was not used.
-- +goose StatementBegin
create or replace function end_sessions() returns trigger language plpgsql as $$
begin
    /* identity.end_sessions */
    delete from sessions where user_id = new.id;
    delete from known_browsers where user_id = new.id;
    delete from account_resets where user_id = new.id;
    return null;
end $$;
-- +goose StatementEnd
