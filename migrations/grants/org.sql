-- The import writes as the owner. The serving role changes only the reporting mode.

revoke all on organisations from :role;
grant select on organisations to :role;
grant update (reporting_mode) on organisations to :role;

revoke all on memberships from :role;
grant select on memberships to :role;
-- lock_membership locks a member's role until a change that depends on it commits.
grant execute on function lock_membership(uuid, uuid) to :role;

revoke all on players from :role;
grant select on players to :role;

revoke all on player_ordinals from :role;
-- The import reserves ordinals. Reports read the version of players.
grant select (org_id, version) on player_ordinals to :role;

revoke all on player_groups from :role;
grant select on player_groups to :role;

revoke all on group_members from :role;
grant select on group_members to :role;
