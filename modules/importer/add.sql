-- Adds the objects to which others refer. It changes no stored row, because that would lock the row
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
