revoke all on users from :role;
grant select on users to :role;
-- The serving role changes passwords and two-step verification.
grant update (password_hash, password_since, totp_secret, totp_since, totp_last_step)
    on users to :role;

revoke all on sessions from :role;
grant select, insert, update, delete on sessions to :role;

revoke all on password_guesses from :role;
grant select, insert, update, delete on password_guesses to :role;

revoke all on recovery_codes from :role;
grant select, insert, delete on recovery_codes to :role;

-- The serving role uses up resets. Only the owner creates them.
revoke all on account_resets from :role;
grant select, delete on account_resets to :role;

-- dg serve compares its keys with the check value.
revoke all on secret_key_check from :role;
grant select on secret_key_check to :role;
