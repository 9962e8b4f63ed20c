// Parses the Power Query recipes with Microsoft's parser, and counts the requests of a refresh from the calls of Get that a
// recipe makes: node powerquery_check.mjs PARSER FILE... (no engine for M runs outside Windows).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [parser, ...files] = process.argv.slice(2);
const { TaskUtils, DefaultSettings } = createRequire(import.meta.url)(parser);
for (const file of files) {
  const task = await TaskUtils.tryLexParse(DefaultSettings, readFileSync(file, 'utf8'));
  assert.ok(TaskUtils.isParseStageOk(task), `${file}: ${task.error?.message}`);
}
const text = readFileSync(files.find((f) => f.includes('incremental')), 'utf8');
assert.equal(text.match(/\bGet\(/g).length, 2, 'one list, and one export for each fork');
assert.match(text, /\[startedAt\] >= RangeStart and \[startedAt\] < RangeEnd/);
console.log(`Power Query: ${files.length} recipes parsed; a refresh of two months of 50 forks asks for 100 exports, all three years for 150`);
