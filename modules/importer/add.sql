-- Adds new objects, to which others refer. It updates no stored row, because that would lock the row
-- until the end of the import. The unique constraints are deferred: finalSQL may change the slug of
-- a stored object that conflicts.
with added as (
    insert into {table} ({columns})
    select {columns} from {rows} i
    where not exists (select from {table} o where {same})
    {ordered}
    returning 1
)
select (select count(*) from added), 0
