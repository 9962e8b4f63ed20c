-- Rights that the serving role lacks or has in excess. owns is whether it has all of the owner's.
with tables as (
  select pg_has_role(relowner, 'usage') as owns from pg_class
  where oid = 'audit_entries'::regclass)
select 'failure' as verdict,
  'the serving role is a superuser: a stolen password could change the audit log' as says,
  @apart::text as fix
from pg_roles where rolname = current_user and rolsuper
union all
select 'failure',
  format('the serving role owns %s tables, so it could change the audit log', count(*)), @apart
from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
  and relowner = (select oid from pg_roles where rolname = current_user) and not @alone::boolean having count(*) > 0
union all
select 'warning', 'one role migrates and serves: a stolen password could change the audit log', @apart
from tables where @alone::boolean and owns
union all
select 'failure', 'the serving role may not ' || string_agg(what, ', '),
  'Run dg migrate, which grants what is missing.'
from (values
  ('read plays', has_table_privilege('plays', 'select')),
  ('read keys', has_table_privilege('api_keys', 'select')),
  ('add audit entries', has_table_privilege('audit_entries', 'insert')),
  ('seal days', has_table_privilege('fork_days', 'insert')),
  ('count requests', has_any_column_privilege('api_key_windows', 'update')),
  ('keep sessions', has_table_privilege('sessions', 'insert'))) r (what, may)
where not may having count(*) > 0
union all
select 'failure', 'the serving role may ' || string_agg(what, ', '),
  'Run dg migrate, which revokes it; look for grants to public.'
from tables, (values
  ('change audit entries', has_table_privilege('audit_entries', 'update')),
  ('remove audit entries', has_table_privilege('audit_entries', 'delete')),
  ('remove keys', has_table_privilege('api_keys', 'delete')),
  ('change plays', has_table_privilege('plays', 'update'))) r (what, may)
where may and not owns having count(*) > 0
