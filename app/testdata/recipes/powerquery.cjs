// Parses a file of Power Query M: node powerquery.cjs plays.pq, where npm has installed @microsoft/powerquery-parser.
const { readFileSync } = require('node:fs');
const pq = require('node:module').createRequire(`${process.cwd()}/`)('@microsoft/powerquery-parser');

(async () => {
  const parsed = await pq.TaskUtils.tryLexParse(pq.DefaultSettings, readFileSync(process.argv[2], 'utf8'));
  if (!pq.TaskUtils.isParseStageOk(parsed)) throw parsed.error;
  console.log('parsed');
})().catch((error) => { console.error(error.message); process.exit(1); });
