// Writes all forks into the sheets Forks, Daily and Plays, joined by forkId, and draws a chart in the sheet Weeks.
// The key is a script property: Project settings, Script properties, DG_KEY.
const SERVICE = 'https://dg.example.org';
const FROM = '2025-04-01'; // the first UTC day; the last is today. Times of plays are shown in the spreadsheet's time zone
const FORK = ''; // such as 60772820-1226-4be5-b50f-c2adbe3dca64; empty for all forks
const GROUP = ''; // such as 367856ea-0ce4-4434-8f3b-0260cd0f3211; empty for all players

const book = SpreadsheetApp.getActiveSpreadsheet();
const day = (text) => Utilities.parseDate(text, book.getSpreadsheetTimeZone(), 'yyyy-MM-dd');
const time = (text) => new Date(text);
const truth = (text) => text === 'true' || text === true;
// Columns and their types. Every other column is text.
const FORKS = ['forkId', 'title', 'slug', 'status', 'visibility', 'sourceLocale', 'deployedReleaseNumber', 'suspended', 'createdAt', 'updatedAt', 'hidden'];
const DAILY = ['forkId', 'title', 'date', 'plays', 'avgScorePercent'];
const TYPES = {
  deployedReleaseNumber: Number, suspended: truth, createdAt: time, updatedAt: time, hidden: truth, date: day, plays: Number,
  avgScorePercent: Number, releaseNumber: Number, startedAt: time, completedAt: time, durationSeconds: Number, completed: truth,
  scorePercent: Number, passed: truth,
};

// Retry-After has seconds, or a date within an hour. Anything else means five seconds.
function after(text) {
  if (/^\d{1,4}(\.\d+)?$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.now()) / 1000;
  return seconds >= 0 && seconds <= 3600 ? seconds : 5;
}

function get(path, query) {
  if (!/^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1])(:[0-9]+)?(\/|$))/.test(SERVICE)) throw new Error('SERVICE must begin with https://');
  const address = SERVICE + path + '?' + Object.entries(query).map(([name, value]) => name + '=' + encodeURIComponent(value)).join('&');
  const key = PropertiesService.getScriptProperties().getProperty('DG_KEY')?.trim() ?? ''; // removes blanks, line ends and a byte order mark
  if (!/^dg_live_[0-9A-Za-z_]+$/.test(key)) throw new Error('DG_KEY must be dg_live_<id>_<secret>: one line of ASCII, without quotes.');
  for (let attempt = 1; attempt <= 8; attempt++) {
    const answer = UrlFetchApp.fetch(address, { headers: { Authorization: 'Bearer ' + key }, muteHttpExceptions: true, followRedirects: false });
    const headers = {}; // header names come in any case
    for (const [name, value] of Object.entries(answer.getHeaders())) headers[name.toLowerCase()] = value;
    if ([429, 503].includes(answer.getResponseCode()) && attempt < 8) { // too many requests, or busy
      const seconds = after(headers['retry-after'] || '');
      if (seconds > 240) throw new Error(`The service is busy for ${seconds} s, longer than Apps Script lets a run wait: run it again later.`);
      Utilities.sleep(1000 * seconds);
      continue;
    }
    if (answer.getResponseCode() !== 200) throw new Error(answer.getResponseCode() + ' ' + answer.getContentText().replaceAll(key, '…').replace(/\p{C}/gu, '').slice(0, 500));
    if (!/^(application\/json|text\/csv)/.test(headers['content-type'])) throw new Error('The answer is not the service’s: is a proxy or a sign-in page in between?');
    const noneLeft = /r=0;t=(\d+)/.exec(headers['ratelimit'] || '');
    if (noneLeft) Utilities.sleep(1000 * Number(noneLeft[1]));
    return answer.getContentText();
  }
}

// Writes a table. Text columns have the format of plain text first: a title such as 1/2 stays a title, and no formula runs.
function write(name, header, rows) {
  const sheet = book.getSheetByName(name) || book.insertSheet(name);
  if (rows.length >= sheet.getMaxRows()) sheet.insertRowsAfter(sheet.getMaxRows(), rows.length + 1 - sheet.getMaxRows());
  sheet.clearContents();
  header.forEach((column, i) => sheet.getRange(1, i + 1, rows.length + 1, 1)
    .setNumberFormat(!TYPES[column] ? '@' : TYPES[column] === time ? 'yyyy-mm-dd hh:mm:ss' : TYPES[column] === day ? 'yyyy-mm-dd' : 'General'));
  const typed = (cell, i) => (cell === '' || cell === null ? '' : (TYPES[header[i]] || ((text) => text.replace(/^[=+\-@]/, "'$&")))(cell));
  sheet.getRange(1, 1, rows.length + 1, header.length).setValues([header, ...rows.map((row) => row.map(typed))]);
  return sheet;
}

// Periods of at most 366 days of each fork, with their statistics where they are needed: to tell what is hidden, or for Daily.
function read(needed) {
  const after = (date, days) => new Date(Date.parse(date) + days * 86400000).toISOString().slice(0, 10);
  const today = new Date().toISOString().slice(0, 10);
  const forks = JSON.parse(get('/api/v1/forks', {})).items.filter((fork) => !FORK || fork.id === FORK);
  const periods = [];
  for (const fork of forks) {
    for (let first = FROM; first <= today; first = after(first, 366)) {
      const query = { from: first, to: after(first, 365) < today ? after(first, 365) : today };
      if (GROUP) query.groupId = GROUP;
      const path = '/api/v1/forks/' + fork.id;
      periods.push({ fork, path, query, stats: needed ? JSON.parse(get(path + '/stats', query)) : {} });
    }
  }
  if (!periods.length) throw new Error('There is nothing to read: check the first day and the fork.');
  const hidden = periods.filter((p) => p.stats.suppressed);
  for (const p of hidden) console.log(`${p.fork.title}, ${p.query.from} to ${p.query.to}: hidden, fewer than 5 members of the group played. This is not zero.`);
  if (hidden.length === periods.length) throw new Error('Nothing is shown: fewer than 5 members of the group played. This is not zero.');
  for (const p of hidden) p.fork.hidden = true;
  return { forks, shown: periods.filter((p) => !p.stats.suppressed) };
}

function refresh() {
  const { forks, shown } = read(true);
  write('Forks', FORKS, forks.map((fork) => FORKS.map((name) => (name === 'forkId' ? fork.id : fork[name] || (TYPES[name] === truth ? false : '')))));
  write('Daily', DAILY, shown.flatMap((p) => p.stats.daily.map((d) => // a day without plays has no average
    [p.fork.id, p.fork.title, d.date, d.plays, d.plays ? d.avgScorePercent : ''])));
  drawWeeks(forks, shown);
}

// The chart: the seven forks with most plays, by week. The first and last week, which may be incomplete, are left out. A hidden week is empty.
function drawWeeks(forks, shown) {
  const weeks = {}, sums = {};
  for (const p of shown) {
    for (const { date, plays } of p.stats.daily) {
      const monday = new Date(Date.parse(date) - ((new Date(date).getUTCDay() + 6) % 7) * 86400000).toISOString().slice(0, 10);
      weeks[monday] = weeks[monday] || {};
      weeks[monday][p.fork.id] = (weeks[monday][p.fork.id] || 0) + plays;
      sums[p.fork.id] = (sums[p.fork.id] || 0) + plays;
    }
  }
  const most = forks.filter((fork) => fork.id in sums).sort((a, b) => sums[b.id] - sums[a.id]).slice(0, 7);
  const rows = Object.keys(weeks).sort().slice(1, -1).map((week) => [week, ...most.map((fork) => String(weeks[week][fork.id] ?? ''))]);
  const sheet = write('Weeks', ['date', ...most.map(() => 'plays')], rows);
  sheet.getRange(1, 2, 1, most.length).setNumberFormat('@').setValues([most.map((fork) => fork.title)]);
  sheet.getCharts().forEach((chart) => sheet.removeChart(chart));
  sheet.insertChart(sheet.newChart().asLineChart().addRange(sheet.getRange(1, 1, rows.length + 1, most.length + 1))
    .setNumHeaders(1).setTitle('Plays per week (UTC)').setPosition(2, most.length + 3, 0, 0).build());
}

// Apps Script stops after six minutes: enough for about 600 requests (300 forks and two periods), which is why the plays have a run of their own.
function refreshPlays() {
  const { shown } = read(GROUP);
  let header = [], plays = [];
  for (const p of shown) {
    const text = get(p.path + '/exports/csv', p.query);
    const whole = text.startsWith('playId,forkId,releaseNumber,playerKey,playerLabel,startedAt,') && text.endsWith('\n');
    const rows = whole ? Utilities.parseCsv(text) : [];
    if (!whole || rows.some((row) => row.length !== rows[0].length) || (GROUP && rows.length - 1 !== p.stats.plays)) { // a group hidden meanwhile has no count
      throw new Error(p.path + ': rows are missing or cut, or the answer is no export: run it again.');
    }
    header = rows[0];
    plays = plays.concat(rows.slice(1));
  }
  write('Plays', header, plays);
  // In a sheet of your own, because a run clears these: =AVERAGE of scorePercent, =COUNTUNIQUE of playerKey. Never a mean of daily means.
}
