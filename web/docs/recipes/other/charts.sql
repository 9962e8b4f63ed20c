-- Five charts on the tables of the nightly sync in PostgreSQL 14 or later: one statement each, for Metabase, Superset or Tableau.

-- 1. Line chart: plays and players by week (UTC), without the first and last week, which may be incomplete. A sum of weekly players would count players twice.
select date_trunc('week', "startedAt" at time zone 'UTC')::date as week, count(*) as plays, count(distinct "playerKey") as players
  from dg_plays where date_trunc('week', "startedAt" at time zone 'UTC') < date_trunc('week', now() at time zone 'UTC')
 group by week order by week offset 1;

-- 2. Bar chart: average score and pass rate of completed plays by fork, in percent.
select f.title, round(avg(p."scorePercent"), 1) as average_score, round(100.0 * count(*) filter (where p.passed) / count(*), 1) as pass_rate
  from dg_plays p join dg_forks f using ("forkId") where p.completed group by "forkId", f.title order by pass_rate;

-- 3. Bar chart: the ten skills with the lowest share of correct answers, among those with at least 20 answers.
select split_part(answer, '=', 1) as skill, sum(split_part(split_part(answer, '=', 2), '/', 2)::int) as answers,
       round(100.0 * sum(split_part(split_part(answer, '=', 2), '/', 1)::int) / sum(split_part(split_part(answer, '=', 2), '/', 2)::int), 1) as correct
  from dg_plays, string_to_table(skills, ';') as answer where skills <> ''
 group by skill having sum(split_part(split_part(answer, '=', 2), '/', 2)::int) >= 20 order by correct limit 10;

-- 4. Histogram: completed plays by score, in steps of ten.
select least(floor("scorePercent" / 10) * 10, 90)::int as score_from, count(*) as plays
  from dg_plays where completed group by score_from order by score_from;

-- 5. Two figures: the players of the last 28 complete days, and how many of them have passed. A sum of daily players would count players twice.
select count(distinct "playerKey") as players, count(distinct "playerKey") filter (where passed) as passed
  from dg_plays where ("startedAt" at time zone 'UTC')::date between (now() at time zone 'UTC')::date - 28 and (now() at time zone 'UTC')::date - 1;
