-- +goose Up
-- Entries get their instant and number here, whoever appends them: who serves cannot choose them, and instances whose
-- clocks disagree cannot disorder the log. Numbers tell nothing of other organisations' logs: after the microseconds within
-- the instant's millisecond, which keep entries of one millisecond in order, they are random (53 bits). Older entries keep
-- theirs.
-- Whoever may change entries, as the owner may, may also choose both: a log can be restored.

alter table audit_entries alter column id drop identity;

-- +goose StatementBegin
create function stamp_audit_entry() returns trigger language plpgsql as $$
declare
    stamped constant boolean := not has_table_privilege(tg_relid, 'update');
    instant constant timestamptz := statement_timestamp();
begin
    if stamped or new.at is null then
        new.at := date_trunc('milliseconds', instant);
    end if;
    if stamped or new.id is null then
        new.id := ((extract(microseconds from instant)::bigint % 1000) << 53)
                  | (uuid_hash_extended(gen_random_uuid(), 0) & ((1::bigint << 53) - 1));
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger audit_entry_stamp before insert on audit_entries for each row execute function stamp_audit_entry();
