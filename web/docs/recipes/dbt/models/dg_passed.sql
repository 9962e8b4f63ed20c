-- How many players of each fork have passed. A player of several forks counts in each of them.
select "forkId", count(*) as players, count(*) filter (where has_passed) as passed
from {{ ref('dg_by_player') }}
group by 1
