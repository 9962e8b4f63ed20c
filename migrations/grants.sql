-- What the role that serves may do, and nothing else: applied after the migrations, again each time.
-- It owns no table, adds and reads audit entries but neither changes nor removes them, and writes nothing of an
-- organisation's data: the import runs as the owner.
revoke all on all tables in schema public from :role;
grant usage on schema public to :role;
grant select on goose_db_version, organisations, users, memberships, players, player_ordinals, player_groups, group_members,
    games, forks, plays, audit_entries, api_keys, api_key_windows to :role;
grant insert on audit_entries, api_keys, api_key_windows to :role;
grant update (revoked_at, last_used_at) on api_keys to :role;
grant update (head, instants) on api_key_windows to :role;
-- The sealer runs where the program serves. What it writes is derived from the plays.
grant select, insert, update, delete on fork_days, fork_months to :role;
grant select, delete on unsealed_days, unsealed_months to :role;
-- Sign-in: people change their own password and two-step verification; sessions and counts come and go.
grant update (password_hash, password_since, totp_secret, totp_since, totp_last_step, wrong_codes, codes_wait_until) on users to :role;
grant select, insert, update, delete on sessions, password_guesses to :role;
-- Settings: an owner changes the reporting mode. Nothing else of an organisation is written where the program serves.
grant update (reporting_mode) on organisations to :role;
