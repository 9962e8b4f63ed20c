// Runs a script of the DuckDB CLI: node duckdb.mjs dg.duckdb.sql, where npm has installed @duckdb/node-api. The engine is
// DuckDB's, the commands .shell and -bail are stand-ins. It prints each row.
import { execSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { DuckDBInstance } = createRequire(`${process.cwd()}/`)('@duckdb/node-api');
const connection = await (await DuckDBInstance.create()).connect();
const rows = async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
const shown = (row) => ('averageScore' in row
  ? `${row.forks} forks, ${row.plays} plays, ${row.players} players, ${row.completed} completed, average score ${Number(row.averageScore).toFixed(2)}`
  : 'zone' in row ? `most plays start at ${row['most plays start at']}:00: ${row.plays}` : JSON.stringify(row));
const [shell, script] = [/^\.shell (.*)$/m, readFileSync(process.argv[2], 'utf8').replace(/--.*$/gm, '')];
try {
  for (const part of script.split(/^(?=\.shell)/m)) {
    const command = shell.exec(part);
    // As in the CLI, a command that fails does not stop the script.
    if (command) try { execSync(command[1], { stdio: ['ignore', 'inherit', 'inherit'] }); } catch (error) { console.error(error.message); }
    for (const statement of part.replace(shell, '').split(/;\s*$/m).filter((text) => text.trim())) {
      for (const row of await rows(statement)) console.log(shown(row));
    }
  }
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
