-- How many players of each fork have passed. Players of several forks are counted in each.
select "forkId", count(*) as players, count(*) filter (where has_passed) as passed
from {{ ref('dg_by_player') }}
group by 1
