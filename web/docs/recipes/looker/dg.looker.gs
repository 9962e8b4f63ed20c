// A Looker Studio connector: statistics of a fork for the report's own range, so that players are exact for every range.
/* The manifest, appsscript.json, needs this behind its first brace:
  "dataStudio": {
    "name": "DG",
    "description": "Statistics of a fork for the report's own range.",
    "logoUrl": "https://dg.example.org/static/dg.svg",
    "company": "DG",
    "companyUrl": "https://dg.example.org",
    "addonUrl": "https://dg.example.org/docs/recipes/looker-studio",
    "supportUrl": "https://dg.example.org/docs/errors"
  },
*/
const SERVICE = 'https://dg.example.org';
const RATE = 'percent of completed plays';

const cc = DataStudioApp.createCommunityConnector();
const store = () => PropertiesService.getUserProperties();
const getAuthType = () => cc.newAuthTypeResponse().setAuthType(cc.AuthType.KEY).build();
const resetAuth = () => store().deleteProperty('DG_KEY');
const isAuthValid = () => store().getProperty('DG_KEY') !== null && ask('/api/v1/forks', {}, true) !== null;
const isAdminUser = () => false; // texts of errors stay short
const refuse = (text) => { cc.newUserError().setText(text).throwException(); throw new Error(text); };

function setCredentials(request) {
  const key = request.key.trim(); // removes blanks, line ends and a byte order mark
  if (!/^dg_live_[0-9A-Za-z]+_[0-9A-Za-z]+$/.test(key)) return { errorCode: 'INVALID_CREDENTIALS' };
  store().setProperty('DG_KEY', key);
  if (isAuthValid()) return { errorCode: 'NONE' };
  resetAuth();
  return { errorCode: 'INVALID_CREDENTIALS' };
}

// Retry-After has seconds, or a date within an hour. Anything else means five seconds.
function after(text) {
  if (/^\d{1,4}(\.\d+)?$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.now()) / 1000;
  return seconds >= 0 && seconds <= 3600 ? seconds : 5;
}

function ask(path, query, keyOnly) {
  if (!/^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1])(:[0-9]+)?(\/|$))/.test(SERVICE)) refuse('SERVICE must begin with https://');
  const address = SERVICE + path + '?' + Object.entries(query).map(([name, value]) => name + '=' + encodeURIComponent(value)).join('&');
  for (let attempt = 1; ; attempt++) {
    const answer = UrlFetchApp.fetch(address, { headers: { Authorization: 'Bearer ' + store().getProperty('DG_KEY') },
      muteHttpExceptions: true, followRedirects: false });
    const status = answer.getResponseCode();
    if (keyOnly && status === 401) return null;
    const headers = {}; // header names come in any case
    for (const [name, value] of Object.entries(answer.getHeaders())) headers[name.toLowerCase()] = value;
    if (status === 200 && !/^application\/json/.test(headers['content-type'])) refuse('The answer is not the service’s: is a proxy or a sign-in page in between?');
    if (status === 200) return JSON.parse(answer.getContentText());
    if (![429, 503].includes(status) || attempt === 8) {
      const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(answer.getContentText());
      refuse(status + ' ' + (message ? JSON.parse('"' + message[1] + '"').replaceAll(store().getProperty('DG_KEY'), '…').replace(/\p{C}/gu, '').slice(0, 500) : 'The service gave no answer of its own.'));
    }
    const seconds = after(headers['retry-after'] || '');
    if (seconds > 240) refuse(`The service is busy for ${seconds} s, longer than Apps Script lets a chart wait.`);
    Utilities.sleep(1000 * seconds);
  }
}

function getConfig() {
  const config = cc.getConfig();
  const choose = (id, name) => config.newSelectSingle().setId(id).setName(name).setAllowOverride(true);
  const forks = choose('fork', 'Fork');
  for (const fork of ask('/api/v1/forks', {}).items) forks.addOption(config.newOptionBuilder().setLabel(fork.title).setValue(fork.id));
  const rows = choose('rows', 'A row for each');
  for (const by of Object.keys(ROWS)) rows.addOption(config.newOptionBuilder().setLabel(by).setValue(by));
  config.newTextInput().setId('group').setName('Group').setHelpText('The id of a group, or empty for all players').setAllowOverride(true);
  config.setDateRangeRequired(true);
  return config.build();
}

// A field: id, name, type, whether it is a dimension, whether Looker Studio may add it up.
const ROWS = {
  report: { of: (stats) => [stats], fields: [['plays', 'Plays', 'NUMBER', false, true], ['uniquePlayers', 'Players', 'NUMBER'],
    ['avgScorePercent', 'Average score, percent', 'NUMBER'], ['completionRate', 'Completion rate', 'PERCENT'], ['passRate', 'Pass rate, ' + RATE, 'PERCENT']] },
  day: { of: (stats) => stats.daily, fields: [['date', 'Day (UTC)', 'YEAR_MONTH_DAY', true], ['plays', 'Plays', 'NUMBER', false, true],
    ['avgScorePercent', 'Average score, percent', 'NUMBER']] },
  skill: { of: (stats) => stats.skills, fields: [['skillId', 'Skill', 'TEXT', true], ['attempts', 'Answers', 'NUMBER', false, true],
    ['correctRate', 'Correct answers', 'PERCENT']] },
  player: { of: (stats) => stats.players, fields: [['playerLabel', 'Player', 'TEXT', true], ['plays', 'Plays', 'NUMBER', false, true],
    ['bestScorePercent', 'Best score, percent', 'NUMBER']] },
};

function fieldsOf(request) {
  const fields = cc.getFields();
  const rows = ROWS[request.configParams?.rows] ?? refuse('Choose a fork, and a row for each.');
  for (const [id, name, type, dimension, adds] of rows.fields) {
    const field = (dimension ? fields.newDimension() : fields.newMetric()).setId(id).setName(name).setType(cc.FieldType[type]);
    if (adds) field.setAggregation(cc.AggregationType.SUM);
    else if (!dimension) field.setIsReaggregatable(false); // players and means of parts do not add up
  }
  return fields;
}

const getSchema = (request) => ({ schema: fieldsOf(request).build() });

function getData(request) {
  const { fork, rows, group } = request.configParams;
  if (!fork || !ROWS[rows]) refuse('Choose a fork, and a row for each.');
  const query = { from: request.dateRange.startDate, to: request.dateRange.endDate };
  if (group) query.groupId = group;
  if ((Date.parse(query.to) - Date.parse(query.from)) / 86400000 > 365) refuse('Choose at most 366 days.');
  const stats = ask('/api/v1/forks/' + fork + '/stats', query);
  if (stats.suppressed) refuse('Hidden: fewer than 5 members of the group played. This is not zero.');
  const ids = request.fields.map((field) => field.name);
  // Without a play there is no rate and no score; without a completed one there is no score to average or pass.
  const none = (row, id) => /^(avgScorePercent|completionRate|passRate)$/.test(id) && (!row.plays || id !== 'completionRate' && row.completionRate === 0);
  const value = (row, id) => (id === 'date' ? row.date.replaceAll('-', '') : none(row, id) ? null : row[id]);
  return {
    schema: fieldsOf(request).forIds(ids).build(),
    rows: ROWS[rows].of(stats).map((row) => ({ values: ids.map((id) => value(row, id)) })),
  };
}
