// Runs the statements of a file: node duckdb.mjs plays.duckdb.sql, where npm has installed @duckdb/node-api.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { DuckDBInstance } = createRequire(`${process.cwd()}/`)('@duckdb/node-api');
const connection = await (await DuckDBInstance.create()).connect();
for (const statement of readFileSync(process.argv[2], 'utf8').replace(/--.*$/gm, '').split(/;\s*$/m).filter((text) => text.trim())) {
  for (const row of (await connection.runAndReadAll(statement)).getRowObjectsJson()) {
    if ('averageScore' in row) console.log(`${row.plays} plays, ${row.players} players, ${row.completed} completed, average score ${Number(row.averageScore).toFixed(2)}`);
  }
}
console.log((await connection.runAndReadAll('DESCRIBE plays')).getRows().map((row) => row[1]).join(' '));
