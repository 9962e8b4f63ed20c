-- Finds faults of the role that migrates, and of DG_MIGRATE_DATABASE_URL. It runs as that role.
select 'failure' as verdict, 'the role that migrates may not create tables, or does not own those of dg: '
    'name the owner of the database in DG_MIGRATE_DATABASE_URL; roles.sh creates one' as says
where not has_schema_privilege('public', 'create') or exists (select from pg_class
  where oid = to_regclass('public.organisations') and not pg_has_role(relowner, 'usage'))
union all
select 'warning', format('the role that migrates may not create temporary tables, which imports need: run as a '
    'superuser or the owner: grant temporary on database %I to %I', current_database(), current_user)
where not has_database_privilege(current_database(), 'temporary')
union all
select 'failure', format('DG_MIGRATE_DATABASE_URL leads to database %s of system %s, DG_DATABASE_URL to '
    'another: name the same server and database in both', current_database(), system_identifier)
from pg_control_system()
where format('%s %s', current_database(), system_identifier) <> @serving::text
