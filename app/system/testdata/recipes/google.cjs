// Stand-ins for the services of Google that the recipe calls: node google.cjs dg.gs
const { execFileSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const vm = require('node:vm');

const zone = 'Europe/Paris';
const parts = (time) => Object.fromEntries(new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  .formatToParts(time).map(({ type, value }) => [type, value]));
const sheets = {};
class Sheet {
  constructor() { this.values = []; this.formats = []; this.charts = []; }
  clearContents() { this.values = []; }
  getCharts() { return this.charts; }
  removeChart(chart) { this.charts = this.charts.filter((c) => c !== chart); }
  insertChart(chart) { this.charts.push(chart); }
  newChart() { // any step of the builder returns the builder
    const steps = {};
    const builder = new Proxy({}, { get: (_, name) => (...values) => { steps[name] = values; return name === 'build' ? steps : builder; } });
    return builder;
  }
  getRange(row, column, rows, columns) {
    const cells = (visit) => { for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) visit(r, c, row + r, column + c); };
    const range = {
      rows, columns,
      setNumberFormat: (format) => { cells((_, __, r, c) => { (this.formats[r] ??= [])[c] = format; }); return range; },
      setValues: (values) => {
        if (values.length !== rows || values.some((v) => v.length !== columns)) throw new Error('the values do not fit the range');
        cells((r, c, atRow, atColumn) => { (this.values[atRow - 1] ??= [])[atColumn - 1] = entered(values[r][c], this.formats[atRow]?.[atColumn]); });
        return range;
      },
    };
    return range;
  }
}
// entered is what a cell holds: what is not plain text is read as if a person had typed it.
function entered(value, format) {
  if (typeof value !== 'string') return value;
  if (value.startsWith('=')) throw new Error(`a formula: ${value}`);
  return format !== '@' && /^\d+\/\d+$/.test(value) ? new Date(value) : value;
}
const book = {
  getSheetByName: (name) => sheets[name] || null, insertSheet: (name) => (sheets[name] = new Sheet()), getSpreadsheetTimeZone: () => zone,
};
const google = {
  PropertiesService: { getScriptProperties: () => ({ getProperty: (name) => process.env[name] }) },
  UrlFetchApp: { fetch: (address, { headers, muteHttpExceptions, followRedirects = true }) => {
    if (!muteHttpExceptions) throw new Error('an answer of 429 would throw');
    const out = execFileSync('curl', ['-sS', '-i', ...(followRedirects ? ['-L'] : []), address, ...Object.entries(headers).flatMap(([n, v]) => ['-H', `${n}: ${v}`])],
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
    parseDate: (text, of, format) => { // midnight there is an hour or two before that of UTC
      if (of !== zone || format !== 'yyyy-MM-dd') throw new Error('not known here');
      return new Date(Date.parse(text) - Number(parts(new Date(text)).hour) * 3_600_000);
    },
    parseCsv: (text) => text.trimEnd().split('\n').map((line) => line.split(',')), // the demo has no quotes
  },
  SpreadsheetApp: { getActiveSpreadsheet: () => book },
};
vm.runInNewContext(`${readFileSync(process.argv[2], 'utf8')}\nrefresh();\nrefresh();\nrefreshPlays();`, { ...google, console, Date });
const table = (name, column) => sheets[name].values.slice(1).map((row) => row[sheets[name].values[0].indexOf(column)]);
const must = (ok, what) => { if (!ok) throw new Error(what); };
table('Forks', 'forkId').forEach((id, i) => { if (table('Forks', 'hidden')[i]) console.log(`${table('Forks', 'title')[i]}: hidden`); });
must(table('Forks', 'title').concat(table('Daily', 'title')).every((cell) => typeof cell === 'string'), 'a title is not text');
must(table('Daily', 'date').every((cell) => parts(cell).hour === '00'), 'a day is not a day in the spreadsheet');
must(table('Plays', 'startedAt').every((cell) => cell instanceof Date) && table('Plays', 'completed').every((cell) => typeof cell === 'boolean'),
  'a cell has not its type');
const [chart, ...more] = sheets.Weeks.charts;
must(more.length === 0 && chart.addRange[0].rows === sheets.Weeks.values.length && chart.addRange[0].columns === sheets.Weeks.values[0].length,
  'the chart is not one of all weeks');
console.log(`by day: ${table('Daily', 'plays').reduce((a, b) => a + b, 0)} plays`);
const scores = table('Plays', 'scorePercent').filter((score) => score !== '');
must(scores.every((score) => typeof score === 'number'), 'a score is not a number');
console.log(`${table('Forks', 'forkId').length} forks, ${table('Plays', 'playId').length} plays, ${new Set(table('Plays', 'playerKey')).size} players, `
  + `${scores.length} completed, average score ${(scores.reduce((a, b) => a + b, 0) / scores.length).toFixed(2)}`);
const hours = new Array(24).fill(0);
for (const time of table('Plays', 'startedAt')) hours[Number(parts(time).hour)] += 1;
console.log(`most plays start at ${hours.indexOf(Math.max(...hours))}:00: ${Math.max(...hours)}`);
