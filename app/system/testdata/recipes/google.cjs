// Stand-ins for the services of Google that the recipe calls: node google.cjs plays.gs
const { execFileSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const vm = require('node:vm');

const sheets = {};
class Sheet {
  clearContents() { this.values = []; }
  getRange(row, column, rows, columns) {
    if (row !== 1 || column !== 1) throw new Error('not the whole sheet');
    return { setValues: (values) => {
      if (values.length !== rows || values.some((v) => v.length !== columns)) throw new Error('the values do not fit the range');
      this.values = values;
    } };
  }
}
const book = { getSheetByName: (name) => sheets[name] || null, insertSheet: (name) => (sheets[name] = new Sheet()) };
const google = {
  PropertiesService: { getScriptProperties: () => ({ getProperty: (name) => process.env[name] }) },
  UrlFetchApp: { fetch: (address, { headers, muteHttpExceptions }) => {
    if (!muteHttpExceptions) throw new Error('an answer of 429 would throw');
    const out = execFileSync('curl', ['-sS', '-i', address, ...Object.entries(headers).flatMap(([n, v]) => ['-H', `${n}: ${v}`])],
      { encoding: 'utf8', maxBuffer: 1 << 28 });
    const [, head, text] = /^(.*?)\r\n\r\n(.*)$/s.exec(out);
    const [status, ...lines] = head.split('\r\n');
    return {
      getResponseCode: () => Number(status.split(' ')[1]), getContentText: () => text,
      getHeaders: () => Object.fromEntries(lines.map((line) => /^([^:]*): ?(.*)$/.exec(line).slice(1))),
    };
  } },
  Utilities: {
    sleep: (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
    parseCsv: (text) => text.trimEnd().split('\n').map((line) => line.split(',')), // the demo has no quotes
  },
  SpreadsheetApp: { getActiveSpreadsheet: () => book },
};
vm.runInNewContext(`${readFileSync(process.argv[2], 'utf8')}\nrefresh();`, google);
const [header, ...plays] = sheets.Plays.values;
const at = (name) => header.indexOf(name);
const scores = plays.map((play) => play[at('scorePercent')]).filter((score) => score !== '');
for (const play of plays) {
  if (!(Object.prototype.toString.call(play[at('startedAt')]) === '[object Date]') || typeof play[at('completed')] !== 'boolean') throw new Error('a cell has not its type');
}
if (scores.some((score) => typeof score !== 'number')) throw new Error('a score is not a number');
console.log(`${plays.length} plays, ${new Set(plays.map((play) => play[at('playerKey')])).size} players, `
  + `${scores.length} completed, average score ${(scores.reduce((a, b) => a + b, 0) / scores.length).toFixed(2)}`);
