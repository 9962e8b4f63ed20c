// DuckDB's engine beside dg: node duckdb.cjs PLAYS.csv loads the plays into memory and prints "loaded". For each line
// "FROM TO" of its input it computes the statistics of these days and prints the number of plays and of players.
const { createInterface } = require('node:readline');
const { createRequire } = require('node:module');

(async () => {
  const { DuckDBInstance } = createRequire(`${process.cwd()}/`)('@duckdb/node-api');
  const db = await (await DuckDBInstance.create()).connect();
  await db.run(`create table plays as
    select started_at, player, score, passed,
           [('0x' || answers[i:i+1])::utinyint for i in range(1, len(answers), 2)] as answers
      from read_csv('${process.argv[2]}', header = false, columns = {'started_at': 'timestamp',
        'player': 'integer', 'score': 'smallint', 'passed': 'boolean', 'answers': 'varchar'})`);
  console.log('loaded');
  for await (const line of createInterface({ input: process.stdin })) {
    const [from, to] = line.split(' ');
    const period = `from plays where started_at >= '${from}' and started_at < '${to}'`;
    const days = await db.runAndReadAll(`select started_at::date, count(*), count(score), sum(score),
      count(*) filter (passed) ${period} group by all`);
    const players = await db.run(`select player, count(*) as plays, max(score) as best, max(started_at), bool_or(passed)
      ${period} group by player order by plays desc, best desc, player`);
    await db.run(`select answer, count(*) from (select unnest(answers) as answer ${period}) group by all`);
    const plays = days.getRows().reduce((sum, day) => sum + day[1], 0n);
    console.log(`${plays} ${players.rowCount}`);
  }
})();
