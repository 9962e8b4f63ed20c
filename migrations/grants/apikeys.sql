revoke all on api_keys from :role;
-- The trigger key_guard keeps new keys unused, and refuses to undo or delay a revocation.
grant select, insert on api_keys to :role;
grant update (name, description, revoked_at, last_used_at) on api_keys to :role;

revoke all on api_key_windows from :role;
grant select, insert on api_key_windows to :role;
grant update (head, instants) on api_key_windows to :role;

revoke all on api_key_usage from :role;
grant select, insert, update (accepted, refused, limited), delete on api_key_usage to :role;
