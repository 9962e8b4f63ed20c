// Runs the Looker Studio connector with stubs of what Google documents of Apps Script, and compares twenty random ranges with
// the API: node looker_check.mjs CONNECTOR BASE KEY FORK GROUP REVOKED. Of GROUP, fewer than five members played.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const [script, base, key, fork, group, revoked] = process.argv.slice(2);
const properties = new Map();
const chain = (built) => new Proxy(built, { get: (all, name) => (name in all || typeof name === 'symbol' ? all[name]
  : (...values) => { all[name] = () => values[0]; all.set ??= {}; all.set[name] = values[0]; return chain(all); }) });
const names = new Proxy({}, { get: (_, name) => name });

function fieldList(all = []) {
  const add = (kind) => () => { const field = { kind, set: {} }; all.push(field); return chain(field); };
  return { newDimension: add('DIMENSION'), newMetric: add('METRIC'), build: () => all.map((f) => f.set),
    forIds: (ids) => fieldList(ids.map((id) => all.find((f) => f.set.setId === id))) };
}
function configuration() {
  const chosen = { selects: {} };
  const select = () => { const s = { options: [], set: {} }; return { setId(id) { chosen.selects[id] = s; return this; }, setName() { return this; },
    setAllowOverride() { return this; }, setHelpText() { return this; }, addOption(o) { s.options.push(o.set); return this; } }; };
  return { newSelectSingle: select, newTextInput: select, newOptionBuilder: () => chain({ set: {} }),
    setDateRangeRequired(required) { chosen.dates = required; }, build: () => chosen };
}
const connector = {
  AuthType: names, FieldType: names, AggregationType: names,
  newAuthTypeResponse: () => ({ setAuthType: (type) => ({ build: () => ({ type }) }) }),
  newUserError: () => ({ setText: (text) => ({ throwException() { throw new Error(text); } }) }),
  getConfig: configuration, getFields: () => fieldList(),
};
const wait = (milliseconds) => execFileSync('sleep', [String(milliseconds / 1000)]);
function curl(address, authorization) {
  const out = execFileSync('curl', ['-sS', '-w', '\n%{http_code} %{content_type}\n%header{retry-after}', '-H', '@-', address], { input: 'Authorization: ' + authorization }).toString();
  const [, text, status, type, after] = /^(.*)\n(\d+) (.*)\n(.*)$/s.exec(out);
  return { text, status: Number(status), type, after };
}
let fetched = 0;
const world = vm.createContext({
  console, DataStudioApp: { createCommunityConnector: () => connector }, Utilities: { sleep: wait },
  PropertiesService: { getUserProperties: () => ({ getProperty: (name) => properties.get(name) ?? null,
    setProperty: (name, value) => properties.set(name, value), deleteProperty: (name) => properties.delete(name) }) },
  UrlFetchApp: { fetch(address, { headers, muteHttpExceptions, followRedirects }) { // Apps Script waits for the answer
    assert.ok(muteHttpExceptions && followRedirects === false);
    fetched++;
    const { status, type, after, text } = curl(address, headers.Authorization);
    return { getResponseCode: () => status, getContentText: () => text, getHeaders: () => ({ 'Retry-After': after, 'Content-Type': type }) };
  } },
});
vm.runInContext(readFileSync(script, 'utf8').replaceAll('https://dg.example.org', base), world);
const call = (name, ...given) => vm.runInContext(name, world)(...given);
function api(query) {
  const { text, status, after } = curl(`${base}/api/v1/forks/${fork}/stats?${query}`, 'Bearer ' + key);
  if (status !== 429) return JSON.parse(text);
  wait(1000 * after);
  return api(query);
}

const manifest = JSON.parse(`{${/"dataStudio": \{.*?\}/s.exec(readFileSync(script, 'utf8'))[0]}}`).dataStudio;
// Google's reference has addOnUrl, but the manifests of Google's own connectors and of others in use have addonUrl.
for (const name of ['name', 'description', 'logoUrl', 'company', 'companyUrl', 'addonUrl', 'supportUrl']) assert.ok(manifest[name], name);
assert.equal(call('getAuthType').type, 'KEY');
assert.equal(call('isAuthValid'), false);
assert.equal(call('setCredentials', { key: '"' + key + '"' }).errorCode, 'INVALID_CREDENTIALS');
assert.equal(call('setCredentials', { key: revoked }).errorCode, 'INVALID_CREDENTIALS');
assert.equal(properties.size, 0, 'a refused key is not kept');
assert.equal(call('setCredentials', { key: '\ufeff' + key + '\r\n' }).errorCode, 'NONE');
assert.ok(call('getConfig').selects.fork.options.some((o) => o.setValue === fork) && call('getConfig').dates);

let seed = 67;
const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
const day = (back) => new Date(Date.now() - back * 86400000).toISOString().slice(0, 10);
for (let i = 0; i < 20; i++) {
  const end = i ? random(200) : -30, dateRange = { startDate: day(end + (i ? random(366) : 9)), endDate: day(end) };
  const want = api(`from=${dateRange.startDate}&to=${dateRange.endDate}`);
  for (const rows of ['report', 'day', 'skill', 'player']) {
    const configParams = { fork, rows };
    const ids = call('getSchema', { configParams }).schema.map((f) => f.setId).reverse(); // in the order that is asked for
    const got = call('getData', { configParams, dateRange, fields: ids.map((name) => ({ name })) });
    assert.deepEqual(got.schema.map((f) => f.setId), ids);
    const source = { report: [want], day: want.daily, skill: want.skills, player: want.players }[rows];
    assert.equal(JSON.stringify(got.rows.map((r) => r.values)), JSON.stringify(source.map((r) => ids.map((id) =>
      (id === 'date' ? r.date.replaceAll('-', '') : !r.plays && /^(avgScorePercent|completionRate|passRate)$/.test(id) ? null : r[id])))));
  }
}
const ask = (configParams, startDate, endDate) => () => call('getData', { configParams: { fork, rows: 'report', ...configParams }, dateRange: { startDate, endDate }, fields: [{ name: 'plays' }] });
assert.throws(ask({ group }, day(0), day(0)), /Hidden: fewer than 5 members/);
assert.throws(ask({}, day(400), day(0)), /at most 366 days/);
properties.set('DG_KEY', revoked);
assert.throws(ask({}, day(1), day(0)), (error) => /^401 /.test(error.message) && !error.message.includes(revoked));
world.UrlFetchApp.fetch = () => ({ getResponseCode: () => 429, getContentText: () => '', getHeaders: () => ({ 'retry-after': '3000' }) });
world.Utilities.sleep = () => assert.fail('a wait beyond the limits of Apps Script');
assert.throws(ask({}, day(1), day(0)), /busy for 3000 s/);
console.log(`Looker Studio: 20 ranges by report, day, skill and player equal to the API's, in ${fetched} requests; hidden and revoked are said`);
