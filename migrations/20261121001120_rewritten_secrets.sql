-- +goose Up
-- users.totp_secret may be encrypted (v1.<key>.<ciphertext>). To encrypt the same secret anew is no change of it: sessions
-- and recovery codes stay. Only the owner of the tables may say so, by counting it here.
alter table users add column totp_rewritten integer not null default 0;

drop trigger users_end_sessions on users;
create trigger users_end_sessions after update on users for each row
    when (old.password_hash is distinct from new.password_hash
          or old.totp_secret is distinct from new.totp_secret and old.totp_rewritten = new.totp_rewritten)
    execute function end_sessions();
alter table users enable always trigger users_end_sessions;

drop trigger users_void_recovery_codes on users;
create trigger users_void_recovery_codes after update on users for each row
    when (old.totp_secret is distinct from new.totp_secret and old.totp_rewritten = new.totp_rewritten)
    execute function void_recovery_codes();
alter table users enable always trigger users_void_recovery_codes;
