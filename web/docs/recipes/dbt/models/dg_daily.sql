-- Plays of each fork by UTC day. Scores and passes count completed plays only.
select "forkId", cast("startedAt" at time zone 'UTC' as date) as day,
       count(*) as plays,
       count(*) filter (where completed) as completed,
       count(*) filter (where passed) as passed,
       avg("scorePercent") as average_score
from {{ source('dg', 'dg_plays') }}
group by 1, 2
