-- +goose Up
-- The check value of DG_SECRET_KEY: a fixed text that the key encrypted. One row at most. While it
-- is there, every secret of two-step verification is encrypted. The owner of the tables writes it.
create table secret_key_check (
    one   boolean primary key default true check (one),
    value text not null
);

-- A program without the key would store a secret that no other accepts.
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
create trigger users_refuse_clear_secret before insert or update of totp_secret on users for each row
    when (new.totp_secret not like 'v1.%')
    execute function refuse_clear_secret();
alter table users enable always trigger users_refuse_clear_secret;
