-- +goose Up
-- Who serves stores new keys and revokes them, and no more: a key is new when it is stored, and a revocation is neither
-- taken back nor put off. One may lie up to a week ahead (a key that is being replaced), and be brought forward. An instant
-- that has passed becomes now: clocks differ, and stopping a leaked key must not fail by that.
-- Whoever may change the whole row, as the owner may, is not kept from anything.

-- +goose StatementBegin
create function guard_key() returns trigger language plpgsql as $$
declare
    instant constant timestamptz := date_trunc('milliseconds', clock_timestamp());
begin
    if has_table_privilege(tg_relid, 'update') then
        return new;
    end if;
    if tg_op = 'INSERT' then
        if new.revoked_at is not null or new.last_used_at is not null then
            raise insufficient_privilege using message = 'a key is stored unused and not revoked';
        end if;
        return new;
    end if;
    if new.revoked_at is not distinct from old.revoked_at then
        return new;
    end if;
    if new.revoked_at is null or old.revoked_at <= instant or new.revoked_at > old.revoked_at then
        raise insufficient_privilege using message = 'a revocation is neither taken back nor put off';
    end if;
    if new.revoked_at > instant + interval '7 days 1 minute' then
        raise insufficient_privilege using message = 'a revocation lies at most a week ahead';
    end if;
    new.revoked_at := greatest(new.revoked_at, instant);
    return new;
end $$;
-- +goose StatementEnd
create trigger key_guard before insert or update of revoked_at on api_keys for each row execute function guard_key();
