-- Finds missing or changed keys, each with the statement that creates it. Primary and unique keys
-- come first, because foreign keys reference them. The statement of a key with ON DELETE CASCADE
-- first deletes orphaned rows, as the missing key would have done.
select 'failure' as verdict, format('the key %s is missing or changed: run as the owner of the tables: %s'
    'alter table %s drop constraint if exists %s, add constraint %s %s', name, case when def ~ 'CASCADE' then
    regexp_replace(def, '^FOREIGN KEY \(([^)]*)\) REFERENCES (\w+)\(([^)]*)\).*', format('delete from %1$s '
    'where (\1) in (select \1 from %1$s except select \3 from \2); ', tab)) end, tab, name, name, def) as message
from (values
  ('account_resets', 'account_resets_pkey', 'PRIMARY KEY (user_id)'),
  ('account_resets', 'account_resets_token_hash_key', 'UNIQUE (token_hash)'),
  ('api_key_usage', 'api_key_usage_pkey', 'PRIMARY KEY (key_id, day)'),
  ('api_key_windows', 'api_key_windows_pkey', 'PRIMARY KEY (key_id, refused)'),
  ('api_keys', 'api_keys_pkey', 'PRIMARY KEY (id)'),
  ('audit_entries', 'audit_entries_pkey', 'PRIMARY KEY (id)'),
  ('audit_refusals', 'audit_refusals_pkey', 'PRIMARY KEY (org_id, key_id, reason, at)'),
  ('fork_days', 'fork_days_pkey', 'PRIMARY KEY (fork_id, day)'),
  ('fork_months', 'fork_months_pkey', 'PRIMARY KEY (fork_id, month)'),
  ('forks', 'forks_org_id_id_key', 'UNIQUE (org_id, id)'),
  ('forks', 'forks_pkey', 'PRIMARY KEY (id)'),
  ('forks', 'forks_slug_key', 'UNIQUE (org_id, slug) DEFERRABLE'),
  ('games', 'games_pkey', 'PRIMARY KEY (id)'),
  ('group_members', 'group_members_pkey', 'PRIMARY KEY (group_id, player)'),
  ('memberships', 'memberships_pkey', 'PRIMARY KEY (org_id, user_id)'),
  ('organisations', 'organisations_pkey', 'PRIMARY KEY (id)'),
  ('organisations', 'organisations_slug_key', 'UNIQUE (slug) DEFERRABLE'),
  ('password_guesses', 'password_guesses_pkey', 'PRIMARY KEY (key_hash)'),
  ('player_groups', 'player_groups_org_id_id_key', 'UNIQUE (org_id, id)'),
  ('player_groups', 'player_groups_pkey', 'PRIMARY KEY (id)'),
  ('player_ordinals', 'player_ordinals_pkey', 'PRIMARY KEY (org_id)'),
  ('players', 'players_org_id_label_key', 'UNIQUE (org_id, label)'),
  ('players', 'players_org_id_ordinal_key', 'UNIQUE (org_id, ordinal)'),
  ('players', 'players_pkey', 'PRIMARY KEY (id)'),
  ('plays', 'plays_pkey', 'PRIMARY KEY (id)'),
  ('recovery_codes', 'recovery_codes_pkey', 'PRIMARY KEY (user_id, code_hash)'),
  ('secret_key_check', 'secret_key_check_pkey', 'PRIMARY KEY (one)'),
  ('sessions', 'sessions_pkey', 'PRIMARY KEY (token_hash)'),
  ('users', 'users_email_key', 'UNIQUE (email_key) DEFERRABLE'),
  ('users', 'users_pkey', 'PRIMARY KEY (id)'),
  ('account_resets', 'account_resets_user_id_fkey', 'FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE'),
  ('api_key_usage', 'api_key_usage_org_id_fkey', 'FOREIGN KEY (org_id) REFERENCES organisations(id)'),
  ('api_keys', 'api_keys_org_id_fkey', 'FOREIGN KEY (org_id) REFERENCES organisations(id)'),
  ('audit_entries', 'audit_entries_org_id_fkey', 'FOREIGN KEY (org_id) REFERENCES organisations(id)'),
  ('audit_refusals', 'audit_refusals_org_id_fkey', 'FOREIGN KEY (org_id) REFERENCES organisations(id)'),
  ('fork_days', 'fork_days_org_id_fork_id_fkey', 'FOREIGN KEY (org_id, fork_id) REFERENCES forks(org_id, id) ON DELETE CASCADE'),
  ('fork_months', 'fork_months_org_id_fork_id_fkey', 'FOREIGN KEY (org_id, fork_id) REFERENCES forks(org_id, id) ON DELETE CASCADE'),
  ('forks', 'forks_game_id_fkey', 'FOREIGN KEY (game_id) REFERENCES games(id)'),
  ('forks', 'forks_org_id_fkey', 'FOREIGN KEY (org_id) REFERENCES organisations(id)'),
  ('group_members', 'group_members_org_id_group_id_fkey', 'FOREIGN KEY (org_id, group_id) REFERENCES player_groups(org_id, id) ON DELETE CASCADE'),
  ('group_members', 'group_members_org_id_player_fkey', 'FOREIGN KEY (org_id, player) REFERENCES players(org_id, ordinal) ON DELETE CASCADE'),
  ('memberships', 'memberships_org_id_fkey', 'FOREIGN KEY (org_id) REFERENCES organisations(id)'),
  ('memberships', 'memberships_user_id_fkey', 'FOREIGN KEY (user_id) REFERENCES users(id)'),
  ('player_groups', 'player_groups_org_id_fkey', 'FOREIGN KEY (org_id) REFERENCES organisations(id)'),
  ('player_ordinals', 'player_ordinals_org_id_fkey', 'FOREIGN KEY (org_id) REFERENCES organisations(id)'),
  ('players', 'players_org_id_fkey', 'FOREIGN KEY (org_id) REFERENCES organisations(id)'),
  ('plays', 'plays_org_id_fork_id_fkey', 'FOREIGN KEY (org_id, fork_id) REFERENCES forks(org_id, id)'),
  ('plays', 'plays_org_id_player_fkey', 'FOREIGN KEY (org_id, player) REFERENCES players(org_id, ordinal) ON DELETE CASCADE'),
  ('recovery_codes', 'recovery_codes_user_id_fkey', 'FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE'),
  ('sessions', 'sessions_user_id_fkey', 'FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE')
) as created (tab, name, def)
where not exists (select from pg_constraint
  where conrelid = to_regclass(tab) and conname = name
    and replace(pg_get_constraintdef(oid), '"', '') = def) -- has quotes under quote_all_identifiers
order by def ~ 'FOREIGN', name
