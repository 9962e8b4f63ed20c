-- Writes most types: only the objects that differ, and never their keys, whose update would lock out
-- those who refer to them.
with replaced as (
    update {table} o set ({values}) = row ({i.values}) from {rows} i
    where {same} and ({o.values}) is distinct from ({i.values})
    returning 1
), added as (
    insert into {table} ({columns})
    select {columns} from {rows} i
    where not exists (select from {table} o where {same})
    returning 1
)
select (select count(*) from added), (select count(*) from replaced)
