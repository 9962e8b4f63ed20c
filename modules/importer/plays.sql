-- Inserts in the order of the index plays_period, so that the plays of a period are in few pages.
-- The outer joins make the write fail if a player was erased after the check.
with replaced as (
    update plays p
    set started_at = i.started_at, completed_at = i.completed_at, player = l.ordinal,
        release_number = i.release_number, score = i.score, passed = i.passed,
        answers = i.answers
    from import_plays i left join players l on l.id = i.player_id
    where p.id = i.id
      and (p.started_at, p.completed_at, p.player, p.release_number, p.score, p.passed,
           p.answers)
          is distinct from (i.started_at, i.completed_at, l.ordinal, i.release_number,
                            i.score, i.passed, i.answers)
    returning 1
), added as (
    insert into plays (id, org_id, fork_id, player, release_number, started_at, completed_at,
                       score, passed, answers)
    select i.id, l.org_id, i.fork_id, l.ordinal, i.release_number, i.started_at,
           i.completed_at, i.score, i.passed, i.answers
    from import_plays i left join players l on l.id = i.player_id
    where not exists (select from plays p where p.id = i.id)
    order by i.fork_id, i.started_at, i.id
    returning 1
)
select (select count(*) from added), (select count(*) from replaced)
