-- Plays and distinct players of each fork by week (UTC). Players of weeks do not add up.
select "forkId", cast(date_trunc('week', "startedAt" at time zone 'UTC') as date) as week,
       count(*) as plays, count(distinct "playerKey") as players
from {{ source('dg', 'dg_plays') }}
group by 1, 2
