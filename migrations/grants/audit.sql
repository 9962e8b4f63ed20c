-- Entries cannot be changed. Triggers set instant and id, and let counts of refusals only rise.

revoke all on audit_entries from :role;
grant select, insert on audit_entries to :role;

revoke all on audit_refusals from :role;
grant select, insert, update (refusals) on audit_refusals to :role;
