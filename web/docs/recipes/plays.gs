// Writes every play of a fork into the sheet "Plays", with numbers as numbers and dates as dates.
// The key is a script property: Project settings, Script properties, DG_KEY.
const SERVICE = 'https://dg.example.org';
const FORK = '60772820-1226-4be5-b50f-c2adbe3dca64';
const FROM = '2024-01-01', TO = '2026-03-31';
const GROUP = ''; // such as 367856ea-0ce4-4434-8f3b-0260cd0f3211; empty: all players

const TYPES = {
  releaseNumber: Number, startedAt: (text) => new Date(text), completedAt: (text) => new Date(text), durationSeconds: Number,
  completed: (text) => text === 'true', scorePercent: Number, passed: (text) => text === 'true',
};

function get(path, query) {
  const address = SERVICE + path + '?' + Object.entries(query).map(([name, value]) => name + '=' + encodeURIComponent(value)).join('&');
  const key = PropertiesService.getScriptProperties().getProperty('DG_KEY');
  for (let attempt = 1; attempt <= 8; attempt++) {
    const answer = UrlFetchApp.fetch(address, { headers: { Authorization: 'Bearer ' + key }, muteHttpExceptions: true });
    const headers = {}; // their names come in any case
    for (const [name, value] of Object.entries(answer.getHeaders())) headers[name.toLowerCase()] = value;
    if (answer.getResponseCode() === 429 || answer.getResponseCode() === 503) { // too many requests, or busy
      Utilities.sleep(1000 * Number(headers['retry-after'] || 5));
      continue;
    }
    if (answer.getResponseCode() !== 200) throw new Error(answer.getContentText());
    const noneLeft = /r=0;t=(\d+)/.exec(headers['ratelimit'] || '');
    if (noneLeft) Utilities.sleep(1000 * Number(noneLeft[1]));
    return { text: answer.getContentText(), hidden: 'x-dg-report-suppressed' in headers };
  }
  throw new Error('The service is still busy after 8 attempts.');
}

function refresh() {
  const day = (date, days) => new Date(Date.parse(date) + days * 86400000).toISOString().slice(0, 10);
  const typed = (name, cell) => (cell === '' ? '' : (TYPES[name] || String)(cell));
  let header = [], plays = [];
  for (let first = FROM; first <= TO; first = day(first, 366)) { // windows of at most 366 days
    const last = day(first, 365) < TO ? day(first, 365) : TO;
    const query = { from: first, to: last };
    if (GROUP) query.groupId = GROUP;
    const { text, hidden } = get('/api/v1/forks/' + FORK + '/exports/csv', query);
    if (hidden) throw new Error(first + ' to ' + last + ': hidden, fewer than 5 members of the group played. This is not zero.');
    const rows = Utilities.parseCsv(text);
    header = rows[0];
    plays = plays.concat(rows.slice(1).map((row) => row.map((cell, i) => typed(header[i], cell))));
  }
  const book = SpreadsheetApp.getActiveSpreadsheet();
  const sheet = book.getSheetByName('Plays') || book.insertSheet('Plays');
  sheet.clearContents();
  sheet.getRange(1, 1, plays.length + 1, header.length).setValues([header, ...plays]);
  // In the sheet: =AVERAGE of scorePercent, =COUNTUNIQUE of playerKey. Never a mean of daily means.
}
