-- +goose Up
-- The serving role can only add a row of the current minute, or one refusal at a time to such a row.
-- It cannot lower a count or change a minute.
-- +goose StatementBegin
create function stamp_audit_refusal() returns trigger language plpgsql as $$
begin
    if has_table_privilege(tg_relid, 'update') then -- the owner, who may restore a log
        return new;
    end if;
    if tg_op = 'INSERT' then
        new.at := date_trunc('minute', statement_timestamp());
        new.id := uuid_hash_extended(gen_random_uuid(), 0) & ((1::bigint << 53) - 1);
        new.refusals := 1;
    elsif new.refusals <> old.refusals + 1 or old.at <> date_trunc('minute', statement_timestamp()) then
        raise insufficient_privilege using message = 'a count of refusals rises by one in its minute';
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger audit_refusal_stamp before insert or update on audit_refusals
    for each row execute function stamp_audit_refusal();
