-- +goose Up
-- Tags of reports contain no pseudonyms, because a player's never change.
-- +goose StatementBegin
create function refuse_new_pseudonym() returns trigger language plpgsql as $$
begin
    raise exception 'label, ordinal and org_id of a player never change'
        using hint = 'Erase the player, and import another one.';
end $$;
-- +goose StatementEnd
-- After the update, so that no other trigger changes the row later.
create trigger player_pseudonym after update on players for each row
    when ((old.label, old.ordinal, old.org_id) is distinct from (new.label, new.ordinal, new.org_id))
    execute function refuse_new_pseudonym();
alter table players enable always trigger player_pseudonym;
