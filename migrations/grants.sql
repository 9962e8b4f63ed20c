-- The rights of the serving role, and no others: applied after every migration, but by no program that is older than the
-- schema. The role owns no table, neither changes nor removes audit entries, and writes no organisation's data: the import
-- runs as the owner.
--
-- Each table's rights are revoked first, and then granted. No statement covers the whole schema, which may have others' tables.
grant usage on schema public to :role;

revoke all on goose_db_version from :role;
grant select on goose_db_version to :role;

revoke all on organisations from :role;
grant select on organisations to :role;
-- Owners change the reporting mode. The serving role writes nothing else of an organisation.
grant update (reporting_mode) on organisations to :role;

revoke all on users from :role;
grant select on users to :role;
-- People change their own password and two-step verification.
grant update (password_hash, password_since, totp_secret, totp_since, totp_last_step, wrong_codes, codes_wait_until, code_waits) on users to :role;

revoke all on memberships from :role;
grant select on memberships to :role;
-- Locks a member's role until a change that depends on it commits.
grant execute on function lock_membership(uuid, uuid) to :role;

revoke all on players from :role;
grant select on players to :role;

revoke all on player_ordinals from :role;
grant select on player_ordinals to :role;

revoke all on player_groups from :role;
grant select on player_groups to :role;

revoke all on group_members from :role;
grant select on group_members to :role;

revoke all on games from :role;
grant select on games to :role;

revoke all on forks from :role;
-- All columns but the configuration, which the serving role must not read.
grant select (id, org_id, game_id, slug, title, major, status, visibility, source_locale, deployed_release_number, suspended,
    created_at, updated_at) on forks to :role;

revoke all on plays from :role;
grant select on plays to :role;

revoke all on audit_entries from :role;
-- The table's trigger sets instant and id.
grant select, insert on audit_entries to :role;
-- Refusals above the limit are counted.
revoke all on audit_refusals from :role;
grant select, insert, update (refusals) on audit_refusals to :role;

revoke all on api_keys from :role;
-- The table's trigger keeps new keys unused and revocations final.
grant select, insert on api_keys to :role;
grant update (name, description, revoked_at, last_used_at) on api_keys to :role;

revoke all on api_key_usage from :role;
grant select, insert, update (accepted, refused, limited), delete on api_key_usage to :role;

revoke all on api_key_windows from :role;
grant select, insert on api_key_windows to :role;
grant update (head, instants) on api_key_windows to :role;

-- The serving program seals, and reports mark damaged segments. Segments are derived from the plays.
revoke all on fork_days from :role;
grant select, insert, update, delete on fork_days to :role;
revoke all on fork_months from :role;
grant select, insert, update, delete on fork_months to :role;
revoke all on unsealed_days from :role;
grant select, insert, delete on unsealed_days to :role;
revoke all on unsealed_months from :role;
grant select, insert, delete on unsealed_months to :role;

-- Sessions, and counts of wrong attempts.
revoke all on sessions from :role;
grant select, insert, update, delete on sessions to :role;
revoke all on password_guesses from :role;
grant select, insert, update, delete on password_guesses to :role;

-- Recovery codes are created and deleted, never changed.
revoke all on recovery_codes from :role;
grant select, insert, delete on recovery_codes to :role;

-- The links of dg account reset are read and used. Only the owner of the tables creates one.
revoke all on account_resets from :role;
grant select, delete on account_resets to :role;

-- The serving program compares its keys with the check value. Only the owner of the tables writes it.
revoke all on secret_key_check from :role;
grant select on secret_key_check to :role;

revoke all on known_browsers from :role;
grant select, insert, update, delete on known_browsers to :role;
