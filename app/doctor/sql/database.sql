-- Finds faults of the server and the database. It runs first and as the serving role, because
-- the owner could call a function in public that shadows one of PostgreSQL's.
with reached as (select oid, rolname from pg_roles where pg_has_role(oid, 'member')),
own as (select * from reached where @owner::text not in ('', rolname) -- '' if this role migrates, too
  and not exists (select from reached where rolname = @owner::text)),
fixes as (
  select format('alter database %I owner to %I', datname, @owner::text) as fix
  from pg_database join own on datdba = own.oid where datname = current_database()
  union all
  select 'alter schema public owner to pg_database_owner'
  from pg_namespace join own on nspowner = own.oid where nspname = 'public' and rolname <> 'pg_database_owner'
  union all
  select format('revoke create on %s from %s', what, coalesce(quote_ident(rolname), 'public'))
  from (select 'database ' || quote_ident(datname), datdba, datacl from pg_database where datname = current_database()
    union all select 'schema public', nspowner, nspacl from pg_namespace where nspname = 'public')
    o (what, owner, acl), aclexplode(acl) left join own on own.oid = grantee
  where privilege_type = 'CREATE' and grantee <> owner
    and (rolname is not null or grantee = 0 and exists (select from own)))
select 'failure' as verdict, format('the serving role owns the database or the schema public, or may create '
    'in them, and so could drop the audit log, or replace functions that the owner of the tables calls: '
    'run as a superuser or a member of the owners: %s', string_agg(fix, '; ')) as message
from fixes having count(*) > 0
union all
select 'failure', format('the serving role owns %s: drop what you do not know, give the rest another owner',
    string_agg(concat_ws(' ', "is".type, "is".identity), ', '))
from (select * from pg_shdepend join own on refobjid = own.oid
  where dbid = (select oid from pg_database where datname = current_database())
    and deptype = 'o' and classid <> 'pg_largeobject'::regclass limit 5) s,
  pg_identify_object(classid, objid, 0) "is" having count(*) > 0
union all
select 'failure', 'this database is of an earlier build of dg: give dg an empty database or data folder'
from pg_class where relnamespace = 'public'::regnamespace and relname = 'goose_db_version'
union all
select case when grants then 'warning' else 'failure' end, 'the serving role may not use the schema public: ' ||
  case when grants then 'run dg migrate, or start dg serve' else format('run as a superuser or a member of its owner: '
    'grant usage on schema public to %I', current_user) end
from (select @owner::text = '' or exists (select from pg_roles where rolname = @owner::text
  and has_schema_privilege(oid, 'public', 'usage with grant option')) as grants) o
where not has_schema_privilege('public', 'usage')
union all
select 'failure', 'the database is a standby or read-only, and every request writes: point DG_DATABASE_URL at the '
    'primary (a URL may name several hosts), or promote this one, as a superuser: select pg_promote()'
where pg_is_in_recovery() or current_setting('transaction_read_only')::boolean
union all
select 'warning', 'a dg serve answers at DG_ADDR, but none uses this database: restart it, or choose another DG_ADDR'
where @serve_answers::boolean and not exists (select from pg_stat_activity
  where datname = current_database() and application_name like 'dg %' and application_name <> 'dg doctor')
union all
select 'warning', string_agg(name, ', ' order by name) || ' is off, and a crash loses what was '
    'confirmed, such as a revocation: set it to on in postgresql.conf and for the roles'
from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
having count(*) > 0
union all
select 'warning', format('a crash of PostgreSQL empties %s: run as the owner of the tables: %s', string_agg(relname, ', '),
    string_agg(format('alter table %I set logged', relname), '; ' order by relname <> 'users', position)) -- tables refer to earlier ones or users
from regexp_matches(@script, '\ncreate table (\w+)', 'g') with ordinality t (names, position) join pg_class on relname = names[1]
where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'u' having count(*) > 0
union all
select 'warning', format('the password of %1$I ends at %2$s: choose a later moment, or run as a superuser or its creator: '
    'alter role %1$I valid until ''infinity''', rolname, rolvaliduntil)
from pg_roles where rolname in (current_user, @owner::text) and rolvaliduntil between now() and now() + interval '14 days'
union all
select 'warning', format('the clocks of the database and this machine differ by %s s: set both by NTP, '
    'as codes of two-step verification and sessions depend on them', round(skew))
from (select abs(extract(epoch from clock_timestamp() - @now::timestamptz)) as skew) c
where skew > 5
union all
select 'failure', format('the database has the encoding %s: rename it, create another '
    'with roles.sh, and restore a dump into it', getdatabaseencoding())
where getdatabaseencoding() <> 'UTF8'
union all
select 'warning', format('the database has the collation %s: rename it, create another '
    'with roles.sh, which sets C, and restore a dump into it', coalesce(to_jsonb(d) ->> 'daticulocale',
    to_jsonb(d) ->> 'datlocale', datcollate))
from pg_database d
where datname = current_database()
  and (datlocprovider <> 'c' or datcollate not in ('C', 'POSIX'))
union all
select 'warning', format('the database has version %s of its collation, the system %s: '
    'rename it, create another with roles.sh, which sets C, and restore a dump into it',
    datcollversion, pg_database_collation_actual_version(oid))
from pg_database
where datname = current_database()
  and datcollversion <> pg_database_collation_actual_version(oid)
union all
select 'warning', format('dg serve may open %s connections, but %s admits %s: raise that, or lower '
    'DG_POOL_REQUESTS, besides which it opens %s', @connections::int, what, n, @others::int)
from (select 'max_connections of PostgreSQL', current_setting('max_connections')::int
    - current_setting('superuser_reserved_connections')::int - coalesce(current_setting('reserved_connections', true)::int, 0)
  union all select 'the connection limit of the role', rolconnlimit from pg_roles where rolname = current_user
  union all select 'the connection limit of the database', datconnlimit from pg_database
  where datname = current_database()) l (what, n)
where n >= 0 and n < @connections::int and not @pooled::boolean
