-- The serving role cannot change entries. Triggers set the instant and id of an entry, and let counts
-- of refusals only rise.

revoke all on audit_entries from :role;
grant select, insert on audit_entries to :role;

revoke all on audit_refusals from :role;
grant select, insert, update (refusals) on audit_refusals to :role;
