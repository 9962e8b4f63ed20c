(async () => {
  const db = await (await require('@duckdb/node-api').DuckDBInstance.create()).connect();
  const types = {playId: 'VARCHAR', forkId: 'VARCHAR', releaseNumber: 'INTEGER', playerKey: 'VARCHAR', playerLabel: 'VARCHAR', startedAt: 'TIMESTAMPTZ',
    completedAt: 'TIMESTAMPTZ', durationSeconds: 'BIGINT', completed: 'BOOLEAN', scorePercent: 'DECIMAL(5,2)', passed: 'BOOLEAN', skills: 'VARCHAR'};
  const columns = JSON.stringify(types).replaceAll('"', "'");
  const got = await db.runAndReadAll(`select count(*), count(distinct playerKey), coalesce(sum(durationSeconds), 0), count(*) filter (where completed),
    count(*) filter (where passed), coalesce(sum(scorePercent), 0)::DECIMAL(18,2), count(*) filter (where completedAt is null)
    from read_csv('${process.argv[2]}', header = true, columns = ${columns})`);
  console.log(got.getRows()[0].map(String).join(' '));
})();
