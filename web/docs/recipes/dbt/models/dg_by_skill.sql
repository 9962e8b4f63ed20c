-- Answers of each fork by skill. A play has them as a text such as 'data.reading.charts=3/4;…'.
with answers as (
    select "forkId",
           {% if target.type == 'duckdb' %}unnest(string_split(skills, ';')){% else %}string_to_table(skills, ';'){% endif %} as answer
    from {{ source('dg', 'dg_plays') }}
    where skills <> ''
)
select "forkId", split_part(answer, '=', 1) as skill,
       sum(cast(split_part(split_part(answer, '=', 2), '/', 2) as integer)) as attempts,
       sum(cast(split_part(split_part(answer, '=', 2), '/', 1) as integer)) as correct
from answers
group by 1, 2
