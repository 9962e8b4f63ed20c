// Reads all forks into three arrays, forks, daily and plays, joined by forkId, and draws dg.svg. Node 20 or later, no packages.
// Before: export DG_KEY. Run: node dg.mjs. Behind a proxy: NODE_USE_ENV_PROXY=1, from Node 24 on; NO_PROXY=127.0.0.1 for a demo.
import { renameSync, writeFileSync } from 'node:fs';

const url = 'https://dg.example.org';
const from = '2025-04-01'; // the first UTC day; the last is today
const zone = 'Europe/Paris'; // your time zone, in which times of plays are shown
const fork = ''; // such as 60772820-1226-4be5-b50f-c2adbe3dca64; empty for all forks
const group = ''; // such as 367856ea-0ce4-4434-8f3b-0260cd0f3211; empty for all players

if (!/^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1])(:[0-9]+)?(\/|$))/.test(url)) throw new Error('url must begin with https://');
process.on('uncaughtException', ({ message, cause }) => { console.error(message, cause?.code ?? cause?.message ?? ''); process.exit(1); });
const key = (process.env.DG_KEY ?? '').trim(); // removes blanks, line ends and a byte order mark
if (!/^dg_live_[0-9A-Za-z_]+$/.test(key)) throw new Error('DG_KEY must be dg_live_<id>_<secret>: one line of ASCII, without quotes.');
const sleep = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

// Retry-After has seconds, or a date within an hour. Anything else means five seconds.
function after(text) {
  if (/^\d{1,4}(\.\d+)?$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.now()) / 1000;
  return seconds >= 0 && seconds <= 3600 ? seconds : 5;
}

async function get(path, query = {}) {
  for (let attempt = 1; attempt <= 8; attempt++) {
    const response = await fetch(`${url}${path}?${new URLSearchParams(query)}`, {
      headers: { Authorization: `Bearer ${key}` }, redirect: 'error', // the key goes to no other address
      signal: AbortSignal.timeout(1_800_000),
    });
    if ([429, 503].includes(response.status) && attempt < 8) { // too many requests, or busy
      await response.body?.cancel();
      await sleep(after(response.headers.get('Retry-After') ?? ''));
      continue;
    }
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${(await response.text()).replaceAll(key, '…').replace(/\p{C}/gu, '').slice(0, 500)}`); // a gateway may repeat the key
    if (!/^(application\/json|text\/csv)/.test(response.headers.get('Content-Type'))) throw new Error('The answer is not the service’s: is a proxy or a sign-in page in between?');
    const noneLeft = /r=0;t=(\d+)/.exec(response.headers.get('RateLimit') ?? '');
    if (noneLeft) await sleep(Number(noneLeft[1]));
    return response;
  }
}

const day = (date, days) => new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
const today = new Date().toISOString().slice(0, 10);
const { items } = await (await get('/api/v1/forks')).json();
const forks = items.filter(({ id }) => !fork || id === fork).map(({ id, ...rest }) => (
  { forkId: id, ...rest, createdAt: new Date(rest.createdAt), updatedAt: new Date(rest.updatedAt), hidden: false }));
const [daily, shown] = [[], []];
for (const f of forks) {
  for (let first = from; first <= today; first = day(first, 366)) { // periods of at most 366 days
    const last = day(first, 365) < today ? day(first, 365) : today;
    const query = { from: first, to: last, ...(group && { groupId: group }) };
    const stats = await (await get(`/api/v1/forks/${f.forkId}/stats`, query)).json();
    if (stats.suppressed) {
      f.hidden = true;
      console.log(`${f.title}, ${first} to ${last}: hidden, fewer than 5 members of the group played. This is not zero.`);
      continue;
    }
    shown.push([f.forkId, query, stats.plays]);
    for (const d of stats.daily) daily.push({ forkId: f.forkId, ...d, avgScorePercent: d.plays ? d.avgScorePercent : null });
  }
}
if (!shown.length) throw new Error('Nothing is shown: check the first day, the fork and the group.');

// The chart, before the plays are read: the seven forks with most plays, by week. The first and last week, which may be incomplete, are left out.
const [byWeek, sums] = [{}, {}];
for (const { forkId, date, plays } of daily) {
  const monday = day(date, -((new Date(date).getUTCDay() + 6) % 7));
  const weeks = (byWeek[forkId] ??= {});
  weeks[monday] = (weeks[monday] ?? 0) + plays;
  sums[forkId] = (sums[forkId] ?? 0) + plays;
}
const weeks = [...new Set(Object.values(byWeek).flatMap(Object.keys))].sort().slice(1, -1);
const most = forks.filter(({ forkId }) => forkId in sums).sort((a, b) => sums[b.forkId] - sums[a.forkId]).slice(0, 7)
  .map(({ forkId, title }) => ({ title, plays: weeks.map((week) => byWeek[forkId][week] ?? null) })); // null: hidden, a gap
const top = Math.max(1, ...most.flatMap(({ plays }) => plays));
const [x, y] = [(week) => 36 + (464 * week) / Math.max(1, weeks.length - 1), (plays) => 260 - (150 * plays) / top];
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#777777'];
const text = (at, value, more = '', before = '') => `<text ${at} ${more}>${before}${String(value).replace(/[&<]/g, (c) => `&#${c.charCodeAt()};`)}</text>\n`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 288" font-family="sans-serif" font-size="12">
<rect width="512" height="288" fill="#fff"/>
<path d="M36 110H500M36 185H500M36 260H500" stroke="#ccc"/>
${text('x="256" y="20" text-anchor="middle"', 'Plays per week (UTC)', 'font-weight="bold"')}`
  + [0, top / 2, top].map((plays) => text(`x="30" y="${y(plays) + 4}" text-anchor="end"`, plays)).join('')
  + text('x="36" y="280"', weeks[0] ?? '') + text('x="500" y="280" text-anchor="end"', weeks.at(-1) ?? '')
  + most.map(({ title, plays }, i) => `<path fill="none" stroke="${colours[i]}" stroke-width="2" d="${plays.map((n, week) => (n === null ? '' : `${(plays[week - 1] ?? null) === null ? 'M' : 'L'}${x(week)},${y(n)}`)).join('')}"/>\n`
    + text(`x="${36 + 232 * (i % 2)}" y="${42 + 16 * Math.floor(i / 2)}"`, title.slice(0, 34), '', `<tspan fill="${colours[i]}" font-weight="bold">— </tspan>`)).join('')
  + '</svg>\n';
if (most.some(({ plays }) => plays.some(Boolean))) {
  writeFileSync('dg.part.svg', svg);
  renameSync('dg.part.svg', 'dg.svg'); // a full disk leaves the chart as it was
  console.log(`dg.svg: ${forks.length} forks, ${daily.reduce((sum, { plays }) => sum + plays, 0)} plays`);
} else {
  console.log('Nothing to draw: no whole week has plays.');
}

// Lines end with LF; a cell is in quotes when it holds a comma, a quote or a line end.
function* rows(csv) {
  let row = [];
  for (const [, cell, end] of csv.matchAll(/("(?:[^"]|"")*"|[^",\n]*)([,\n])/g)) {
    row.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === '\n') { yield row; row = []; }
  }
}

// The rows of an export, as many as there are plays. If the numbers differ, the export is read again: a play may have come in between.
async function read(path, query, count) {
  for (let attempt = 1; attempt <= 2; attempt++) {
    const csv = await (await get(`${path}/exports/csv`, query)).text();
    const table = [...rows(csv)];
    if (!csv.startsWith('playId,forkId,releaseNumber,playerKey,playerLabel,startedAt,') || !csv.endsWith('\n')) break;
    if (table.length - 1 === count && table.every((row) => row.length === table[0].length)) return table;
    const stats = await (await get(`${path}/stats`, query)).json();
    count = stats.suppressed ? null : stats.plays; // a group hidden meanwhile has no count
  }
  throw new Error(`${path}: rows are missing or cut, or the answer is no export.`);
}

const types = {
  releaseNumber: Number, startedAt: (text) => new Date(text), completedAt: (text) => new Date(text), durationSeconds: Number,
  completed: (text) => text === 'true', scorePercent: Number, passed: (text) => text === 'true',
};
const typed = (name, cell) => (cell === '' ? null : (types[name] ?? String)(cell));

const plays = [];
for (const [id, query, count] of shown) {
  const [header, ...cells] = await read(`/api/v1/forks/${id}`, query, count);
  for (const row of cells) plays.push(Object.fromEntries(header.map((name, i) => [name, typed(name, row[i])])));
}

// Figures of the whole period come from its plays. A mean of daily means, or a sum of daily players, would be wrong.
const completed = plays.filter((play) => play.completed);
const mean = completed.reduce((sum, play) => sum + play.scorePercent, 0) / completed.length;
console.log(`${forks.length} forks, ${plays.length} plays, ${new Set(plays.map((play) => play.playerKey)).size} players, `
  + `${completed.length} completed, average score ${mean.toFixed(2)}`);
const hour = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit' });
const hours = {};
for (const { startedAt } of plays) hours[hour.format(startedAt)] = (hours[hour.format(startedAt)] ?? 0) + 1;
const [busiest] = Object.entries(hours).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
if (busiest) console.log(`most plays start at ${busiest[0]}:00 (${zone}): ${busiest[1]}`);
