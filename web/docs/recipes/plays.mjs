// Reads every play of a fork into typed objects. Node 20 or later, without packages.
// Before: export DG_KEY. Run: node plays.mjs
const url = 'https://dg.example.org';
const fork = '60772820-1226-4be5-b50f-c2adbe3dca64';
const [from, to] = ['2024-01-01', '2026-03-31'];
const group = ''; // such as 367856ea-0ce4-4434-8f3b-0260cd0f3211; empty: all players

const sleep = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

async function get(path, query) {
  for (let attempt = 1; attempt <= 8; attempt++) {
    const response = await fetch(`${url}${path}?${new URLSearchParams(query)}`, {
      headers: { Authorization: `Bearer ${process.env.DG_KEY}` },
    });
    if (response.status === 429 || response.status === 503) { // too many requests, or busy
      await response.body?.cancel();
      await sleep(Number(response.headers.get('Retry-After') ?? 5));
      continue;
    }
    if (!response.ok) throw new Error(await response.text());
    const noneLeft = /r=0;t=(\d+)/.exec(response.headers.get('RateLimit') ?? '');
    if (noneLeft) await sleep(Number(noneLeft[1]));
    return response;
  }
  throw new Error('The service is still busy after 8 attempts.');
}

// Parts of at most 366 days.
function* windows(first, last) {
  const day = (date, days) => new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
  for (; first <= last; first = day(first, 366)) yield [first, day(first, 365) < last ? day(first, 365) : last];
}

// Lines end with LF; a cell is in quotes when it holds a comma, a quote or a line end.
function* rows(csv) {
  let row = [];
  for (const [, cell, end] of csv.matchAll(/("(?:[^"]|"")*"|[^",\n]*)([,\n])/g)) {
    row.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === '\n') { yield row; row = []; }
  }
}

const types = {
  releaseNumber: Number, startedAt: (text) => new Date(text), completedAt: (text) => new Date(text), durationSeconds: Number,
  completed: (text) => text === 'true', scorePercent: Number, passed: (text) => text === 'true',
};
const typed = (name, cell) => (cell === '' ? null : (types[name] ?? String)(cell));

const plays = [];
for (const [first, last] of windows(from, to)) {
  const response = await get(`/api/v1/forks/${fork}/exports/csv`, { from: first, to: last, ...(group && { groupId: group }) });
  if (response.headers.has('X-DG-Report-Suppressed')) {
    throw new Error(`${first} to ${last}: hidden, fewer than 5 members of the group played. This is not zero.`);
  }
  const [header, ...cells] = rows(await response.text());
  for (const row of cells) plays.push(Object.fromEntries(header.map((name, i) => [name, typed(name, row[i])])));
}

// Figures of the whole period come from its plays. A mean of daily means, or a sum of daily players, would be wrong.
const completed = plays.filter((play) => play.completed);
const mean = completed.reduce((sum, play) => sum + play.scorePercent, 0) / completed.length;
console.log(`${plays.length} plays, ${new Set(plays.map((play) => play.playerKey)).size} players, `
  + `${completed.length} completed, average score ${mean.toFixed(2)}`);
