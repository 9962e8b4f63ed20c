-- The import writes as the owner. The serving role only reads.

revoke all on games from :role;
grant select on games to :role;

revoke all on forks from :role;
-- All columns but configuration, which may contain secrets.
grant select (id, org_id, game_id, slug, title, major, status, visibility, source_locale,
    deployed_release_number, suspended, created_at, updated_at) on forks to :role;

revoke all on plays from :role;
grant select on plays to :role;
