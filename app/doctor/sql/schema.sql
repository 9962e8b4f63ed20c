-- Faults of the schema. In an empty database the statement fails.
select 'warning' as verdict,
  format('the schema ends at %s, this program at %s', max(version_id), @known::int) as says,
  'Run dg migrate, or start dg serve.' as fix
from dg_schema_versions where is_applied having max(version_id) < @known::int
