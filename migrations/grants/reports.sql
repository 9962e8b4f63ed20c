-- The serving role seals, and marks damaged segments. All these rows are derived from the plays.

revoke all on fork_days from :role;
grant select, insert, update, delete on fork_days to :role;

revoke all on fork_months from :role;
grant select, insert, update, delete on fork_months to :role;

revoke all on unsealed_days from :role;
grant select, insert, delete on unsealed_days to :role;

revoke all on unsealed_months from :role;
grant select, insert, delete on unsealed_months to :role;
