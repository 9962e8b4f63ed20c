-- Finds rights that the serving role lacks or has in excess, including those of roles it can become.
-- owns is true if one role migrates and serves.
with tables as (
  select relowner, @one_role::boolean and pg_has_role(relowner, 'usage') as owns from pg_class
  where oid = 'audit_entries'::regclass),
faults as (
  select 'failure' as verdict, 'the serving role is a superuser' as message
  from pg_roles where rolname = current_user and rolsuper
  union all
  select 'failure', format('the serving role owns %s tables', count(*))
  from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
    and relowner = (select oid from pg_roles where rolname = current_user) and not @one_role::boolean
  having count(*) > 0
  union all
  select 'warning', 'one role migrates and serves' from tables where owns)
select verdict, message || ', so a stolen password could change the audit log: give DG_DATABASE_URL a role '
    'of its own that owns nothing, and DG_MIGRATE_DATABASE_URL the owner''s; then run dg migrate' as message
from faults
union all
-- roles that the serving role does not inherit count too, because it can become them by SET ROLE
select 'failure', format('the serving role is a member of %1$s, which may change the audit log: give '
    'DG_DATABASE_URL a role that roles.sh creates, or run as a superuser: revoke %1$I from %2$I%3$s', granted.rolname,
    current_user,
    -- since PostgreSQL 16, a superuser revokes only its own grants by default
    case when current_setting('server_version_num')::int >= 160000 then
      format(' granted by %I', pg_get_userbyid(grantor)) end)
from pg_auth_members, tables, pg_roles granted
where member = (select oid from pg_roles where rolname = current_user) and granted.oid = roleid and not owns
  and exists (select from pg_roles reached where pg_has_role(granted.oid, reached.oid, 'member')
    and (reached.rolsuper or reached.rolcreaterole or reached.oid = relowner
      or reached.rolname in ('pg_execute_server_program', 'pg_write_server_files')
      or has_table_privilege(reached.oid, 'audit_entries', 'update, delete, truncate')))
union all
select 'failure', format('the serving role may create roles, and so join the owner: run as a superuser or its creator: '
    'alter role %I nocreaterole', current_user)
from pg_roles, tables where rolname = current_user and rolcreaterole and not owns
union all
-- Row security hides rows without an error: figures would be 0, keys unknown. A table of dg passes if
-- permissive policies open all its rows to each command that the role may use. With FORCE row
-- security, the owner needs such a policy, too.
select 'failure', format('row security may hide or refuse rows of %s: drop their restrictive policies, and run as the '
    'owner of the tables: %s', string_agg(relname, ', '), string_agg(format(
    'create policy %1$I on %2$I to %1$I, %3$s using (true)', current_user, relname, relowner::regrole), '; '))
from pg_class where relnamespace = 'public'::regnamespace and row_security_active(oid) and relname in (select
    'dg_schema_versions' union all select (regexp_matches(@script, '\ncreate (?:unlogged )?table (\w+)', 'g'))[1])
  and exists (select from (values (current_user, 'r', has_any_column_privilege(oid, 'select')),
      (current_user, 'a', has_any_column_privilege(oid, 'insert')),
      (current_user, 'w', has_any_column_privilege(oid, 'update')), (current_user, 'd', has_table_privilege(oid, 'delete')),
      (pg_get_userbyid(relowner), '*', relforcerowsecurity and exists (
        select from pg_roles where pg_roles.oid = relowner and not rolsuper and not rolbypassrls))) c (who, command, may)
    where may and not exists (select from pg_policy, -- WITH CHECK defaults to the USING condition
        coalesce(pg_get_expr(polwithcheck, polrelid), pg_get_expr(polqual, polrelid)) added
      where polrelid = pg_class.oid and exists (
        select from unnest(polroles) role where role = 0 or pg_has_role(who, role, 'usage'))
      having bool_or(polcmd in ('*', command) and added = 'true'
        and (command = 'a' or pg_get_expr(polqual, polrelid) = 'true')) and bool_and(polpermissive)))
having count(*) > 0
union all
select 'failure', format('the serving role may not %s: run %s', string_agg(privilege || ' ' || object, ', '), case
  when bool_or(owns) then 'as the owner of the tables: ' || -- dg migrate grants the owner nothing
    string_agg(format('grant %s on %s to %I', privilege, object, current_user), '; ')
  else 'dg migrate, which grants what is missing' end)
from tables, (
  select v[1], relname, case when v[2] is null then has_table_privilege(oid, v[1]) else (
    select bool_and(has_column_privilege(attrelid, attnum, v[1])) from pg_attribute
    where attrelid = oid and attname = any(regexp_split_to_array(v[2], ',\s+'))) end
  from regexp_matches(@script, '\ngrant ([^;]+)\son (\w+) to :role', 'g') g, pg_class,
    regexp_matches(g[1], '(\w+)(?: \(([^)]+)\))?', 'g') v
  where relnamespace = 'public'::regnamespace and relname = g[2]
  union all
  select 'execute', 'function ' || f[1], has_function_privilege(to_regprocedure(f[1]), 'execute')
  from regexp_matches(@script, '\ngrant execute on function ([^;]+) to :role', 'g') f) r (privilege, object, may)
where not may and not exists ( -- a newer schema may have other grants
  select from dg_schema_versions where version_id > @program_version::int) having count(*) > 0
union all
select 'failure', 'the serving role may ' || string_agg(what, ', ') ||
    ': run dg migrate, which revokes it' || coalesce((
      select '; then run as the owner of the tables: revoke all on ' || string_agg(oid::regclass::text, ', ') || ' from public'
      from pg_class where relnamespace = 'public'::regnamespace and relname in (
        select (regexp_matches(@script, '\nrevoke all on (\w+)', 'g'))[1])
      and exists (select from aclexplode(relacl) where grantee = 0 and privilege_type <> 'SELECT' union all
        select from pg_attribute, aclexplode(attacl)
          where attrelid = pg_class.oid and grantee = 0 and privilege_type <> 'SELECT')), '')
from tables, (values
  ('change audit entries', has_any_column_privilege('audit_entries', 'update')),
  ('remove audit entries', has_table_privilege('audit_entries', 'delete')),
  ('empty the audit log', has_table_privilege('audit_entries', 'truncate')),
  ('change keys', has_table_privilege('api_keys', 'update')), -- the role has this right on single columns
  ('remove keys', has_table_privilege('api_keys', 'delete, truncate')),
  ('reset accounts', has_any_column_privilege('account_resets', 'insert')),
  ('change members', has_any_column_privilege('memberships', 'insert, update')),
  ('change plays', has_any_column_privilege('plays', 'update')),
  ('add plays', has_any_column_privilege('plays', 'insert')),
  ('remove plays', has_table_privilege('plays', 'delete, truncate'))) r (what, may)
where may and not owns having count(*) > 0
union all
select 'warning', format('the serving role may create large objects, which fill the disk: run as a superuser '
    'in database %I: revoke execute on function %s from public', current_database(),
    string_agg(f::regprocedure::text, ', '))
from unnest(array['lo_create(oid)', 'lo_creat(integer)', 'lo_from_bytea(oid, bytea)', 'lo_import(text)',
  'lo_import(text, oid)']::regprocedure[]) f, tables
where has_function_privilege(f::oid, 'execute') and not owns having count(*) > 0
union all
select 'warning', format('the serving role may create temporary tables, which fill the disk: run as a '
    'superuser or the owner: grant temporary on database %1$I to %2$s; revoke temporary on database %1$I from '
    'public', current_database(), relowner::regrole)
from tables where has_database_privilege(current_database(), 'temporary') and not owns
