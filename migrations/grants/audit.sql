-- The log is append-only. A trigger sets instant and id.

revoke all on audit_entries from :role;
grant select, insert on audit_entries to :role;

revoke all on audit_refusals from :role;
grant select, insert, update (refusals) on audit_refusals to :role;
