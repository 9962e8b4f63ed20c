-- Players of each fork. playerKey is stable under both reporting modes; a label may be a name.
select "forkId", "playerKey", min("playerLabel") as player_label,
       count(*) as plays, max("scorePercent") as best_score,
       coalesce(max(case when passed then 1 else 0 end), 0) = 1 as has_passed, max("startedAt") as last_played_at
from {{ source('dg', 'dg_plays') }}
group by 1, 2
