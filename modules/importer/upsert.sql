-- Writes most types: only the objects that differ. The unique constraints are deferred to the end of
-- the statement, so that two objects may swap values.
with replaced as (
    update {table} o set ({columns}) = row ({i.columns}) from import_{table} i
    where {same} and ({o.columns}) is distinct from ({i.columns})
    returning 1
), added as (
    insert into {table} ({columns})
    select {columns} from import_{table} i
    where not exists (select from {table} o where {same})
    returning 1
)
select (select count(*) from added), (select count(*) from replaced)
