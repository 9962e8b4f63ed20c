-- Faults of the schema. In an empty database the statement fails.
select 'failure' as verdict,
  format('the schema ends at %s, this program at %s: run dg migrate, or start dg serve',
    max(version_id), @known::int) as says
from dg_schema_versions where is_applied having max(version_id) < @known::int
