-- +goose Up
-- A player's pseudonym never changes, so that ETags of reports need not cover pseudonyms.
-- +goose StatementBegin
create function refuse_new_pseudonym() returns trigger language plpgsql as $$
begin
    raise exception 'label, ordinal and org_id of a player never change'
        using hint = 'Erase the player, and import another one.';
end $$;
-- +goose StatementEnd
-- The trigger runs after the update, because a later BEFORE trigger could change the row.
create trigger player_pseudonym after update on players for each row
    when ((old.label, old.ordinal, old.org_id) is distinct from (new.label, new.ordinal, new.org_id))
    execute function refuse_new_pseudonym();
alter table players enable always trigger player_pseudonym;
