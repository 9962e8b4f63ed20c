-- Plays and distinct players of each fork by week (UTC), without the first and last week, which may be incomplete. A sum of weekly players would count players twice.
with plays as (
    select "forkId", cast(date_trunc('week', "startedAt" at time zone 'UTC') as date) as week, "playerKey"
    from {{ source('dg', 'dg_plays') }}
)
select "forkId", week, count(*) as plays, count(distinct "playerKey") as players
from plays
where week > (select min(week) from plays) and week < date_trunc('week', now() at time zone 'UTC')
group by 1, 2
