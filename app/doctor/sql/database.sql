-- Faults of the server and the database. Runs as the serving role.
select 'failure' as verdict,
  'this database is of an earlier build of dg: give dg an empty database or data folder' as says
from pg_class where relnamespace = 'public'::regnamespace and relname = 'goose_db_version'
union all
select 'warning', 'the serving role may not use the schema public: run dg migrate, or start dg serve'
where not has_schema_privilege('public', 'usage')
union all
select 'failure', format('PostgreSQL %s is too old: update it to 15 or later',
    current_setting('server_version'))
where current_setting('server_version_num')::int < 150000
union all
select 'failure', 'the database is a standby or read-only, and every request writes: '
    'point DG_DATABASE_URL at the primary; a URL may name several hosts'
where pg_is_in_recovery() or current_setting('transaction_read_only')::boolean
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
