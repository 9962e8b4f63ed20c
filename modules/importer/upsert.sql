-- Writes only the objects that differ. It never updates ids, because the row lock would then block
-- writers of rows that refer to them. A new slug blocks them too, because slugs are unique.
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
