// node duckdb.cjs PLAYS.csv loads a CSV export of the API into DuckDB, in memory and in the form that suits the engine: integers
// for players, skills and hundredths of a percent, sorted by time. It then prints "loaded". For each line "FROM END" of its input
// it computes the statistics of [FROM, END) as one JSON text, and prints the milliseconds; for "FROM END print" also the text.
const { createInterface } = require('node:readline');
const { createRequire } = require('node:module');

const load = file => [
  `create table raw as select * from read_csv('${file}', header = true, all_varchar = true)`,
  `create table labels as select row_number() over ()::integer as player, playerLabel as label
     from (select distinct playerLabel from raw)`,
  `create table skills as select row_number() over (order by name)::integer as id, name
     from (select distinct split_part(unnest(string_split(skills, ';')), '=', 1) as name from raw) where name <> ''`,
  `create table plays as
     select startedAt::timestamp as started_at, player, (scorePercent::decimal(6, 2) * 100)::integer as score, passed = 'true' as passed,
            list_transform(answers, x -> list_position(names, split_part(x, '=', 1))::utinyint) as skill,
            list_transform(answers, x -> split_part(split_part(x, '=', 2), '/', 1)::integer) as correct,
            list_transform(answers, x -> split_part(x, '/', 2)::integer) as attempts
       from (select *, case when skills is null then [] else string_split(skills, ';') end as answers from raw)
       join labels on label = playerLabel, (select list(name order by id) as names from skills) order by started_at`,
  'drop table raw'];

// Figures are rounded half away from zero, from integers, as those of the API.
const statistics = (from, end) => {
  const plays = `from plays where started_at >= '${from}' and started_at < '${end}'`;
  const rate = (part, whole) => `coalesce((20000 * ${part} + ${whole}) // (2 * ${whole}), 0) / 10000`;
  const mean = 'coalesce((total + 5 * completed) // (10 * completed), 0) / 10';
  return `with
    days as materialized (select started_at::date as day, count(*) as plays, count(score) as completed,
      coalesce(sum(score), 0)::bigint as total, count(*) filter (passed) as passed ${plays} group by day),
    sums as (select sum(plays)::bigint as plays, sum(completed)::bigint as completed, sum(total)::bigint as total,
      sum(passed)::bigint as passed from days),
    players as materialized (select player, count(*) as plays, coalesce((max(score) + 5) // 10, 0) / 10 as best,
      max(started_at) as last, coalesce(bool_or(passed), false) as passed ${plays} group by player),
    answers as (select skill, sum(attempts)::bigint as attempts, sum(correct)::bigint as correct
      from (select unnest(skill) as skill, unnest(attempts) as attempts, unnest(correct) as correct ${plays}) group by skill)
    select to_json({
      plays: plays, uniquePlayers: (select count(*) from players), avgScorePercent: ${mean},
      completionRate: ${rate('completed', 'plays')}, passRate: ${rate('passed', 'completed')},
      daily: (select list({date: strftime(day, '%Y-%m-%d'), plays: plays, avgScorePercent: ${mean}} order by day) from days),
      players: (select list({playerLabel: label, plays: plays, bestScorePercent: best,
        lastPlayedAt: strftime(last, '%Y-%m-%dT%H:%M:%S.%gZ'), passed: passed} order by plays desc, best desc, label)
        from players join labels using (player)),
      skills: (select list({skillId: name, attempts: attempts, correctRate: ${rate('correct', 'attempts')}} order by name)
        from answers join skills on id = skill)})::varchar from sums`;
};

(async () => {
  const { DuckDBInstance } = createRequire(`${process.cwd()}/`)('@duckdb/node-api');
  const db = await (await DuckDBInstance.create()).connect();
  for (const sql of load(process.argv[2])) await db.run(sql);
  console.log('loaded');
  for await (const line of createInterface({ input: process.stdin })) {
    const [from, end, print] = line.split(' ');
    const began = process.hrtime.bigint();
    const text = (await db.runAndReadAll(statistics(from, end))).getRows()[0][0];
    console.log((Number(process.hrtime.bigint() - began) / 1e6).toFixed(1));
    if (print) console.log(text);
  }
})();
