-- Finds faults of the schema. In an empty database the statement fails with 42P01 (see fixes.go).
select 'failure' as verdict,
  format('the schema ends at %s, this program at %s: run dg migrate, or start dg serve',
    max(version_id), @program_version::int) as message
from dg_schema_versions where is_applied having max(version_id) < @program_version::int
union all
select 'warning', 'the schema is newer than this program, which leaves it as it is: install the newer dg'
from dg_schema_versions where is_applied having max(version_id) > @program_version::int
union all
select 'failure', format('the schema lacks %s: give tables back their names, or restore a backup', string_agg(name, ', '))
from (select (regexp_matches(@script, '\ncreate (?:unlogged )?table (\w+)', 'g'))[1]) t (name)
where to_regclass('public.' || name) is null
  and @program_version::int = (select max(version_id) from dg_schema_versions where is_applied) having count(*) > 0
union all
-- "disable trigger all" also disables foreign keys, by which erasing a player deletes its plays.
select 'failure', format('foreign keys are off, and erased players keep their plays: run as a superuser: %s; '
    'delete from plays y where not exists (select from players where (org_id, ordinal) = (y.org_id, y.player)); '
    'delete from group_members y where not exists (select from players where (org_id, ordinal) = (y.org_id, y.player))',
    string_agg(format('alter table %s enable trigger %I', tgrelid::regclass, tgname), '; '))
from pg_trigger join pg_class on pg_class.oid = tgrelid
where relnamespace = 'public'::regnamespace and tgisinternal and tgenabled not in ('O', 'A') having count(*) > 0
