-- Adds the objects that others refer to. It does not change stored rows, because it would lock them
-- until the end of the import. The unique constraints are deferred: a stored object may give up its
-- slug later.
with added as (
    insert into {table} ({columns})
    select {columns} from {rows} i
    where not exists (select from {table} o where {same})
    {ordered}
    returning 1
)
select (select count(*) from added), 0
