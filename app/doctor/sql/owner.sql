-- Finds faults of the role that migrates, and of DG_MIGRATE_DATABASE_URL. It runs as that role.
with created as (select 'dg_schema_versions' union all
  select (regexp_matches(@script, '\ncreate (?:or replace |unlogged )?(?:table|function) (\w+)', 'g'))[1]
  where to_regclass('public.dg_schema_versions') is not null), -- without it, such tables are another program's
objects (fix, mine) as (
  select format('alter table %I owner to %I', relname, current_user), pg_has_role(relowner, 'usage')
  from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname in (table created)
  union all
  select format('alter function %s owner to %I', oid::regprocedure, current_user), pg_has_role(proowner, 'usage')
  from pg_proc where pronamespace = 'public'::regnamespace and proname in (table created)
  union all select null, pg_has_role(datdba, 'usage') from pg_database where datname = current_database())
select 'failure' as verdict, 'the role that migrates may not create tables, or does not own those of dg: '
    'name the owner of the database in DG_MIGRATE_DATABASE_URL; roles.sh creates one' as message
where not has_schema_privilege('public', 'create') or (select count(fix) > 0 and not bool_or(mine) from objects)
union all
select 'failure', 'the role that migrates does not own all tables and functions of dg, as after a restore by another '
    'role: run as a superuser or the role that restored them: ' || string_agg(fix, '; ')
from objects where not mine having count(fix) > 0 and exists (select from objects where mine)
union all
select 'warning', format('the role that migrates may not create temporary tables, which imports need: run as a '
    'superuser or the owner: grant temporary on database %I to %I', current_database(), current_user)
where not has_database_privilege(current_database(), 'temporary')
union all
select 'failure', format('DG_MIGRATE_DATABASE_URL leads to database %s of system %s, DG_DATABASE_URL to '
    'another: name the same server and database in both', current_database(), system_identifier)
from pg_control_system()
where format('%s %s', current_database(), system_identifier) <> @serving_database::text
