// Drives the jobs of the screens in Firefox (WebDriver BiDi) or WebKitGTK (WebDriver), as engines.sh starts it:
// node --experimental-websocket engines.mjs ENGINE BASE PSQL FOLDER. Pictures of the pages go into the folder.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [engine, base, psql, folder] = process.argv.slice(2);
const sql = (text) => execFileSync(psql.split(' ')[0], [...psql.split(' ').slice(1), '-qtAc', text]).toString().trim();
const children = [];
const start = (command, args, env) => children.push(spawn(command, args, { stdio: 'ignore', env: { ...process.env, ...env } }));
process.on('exit', () => children.forEach((child) => child.kill()));

async function until(what, try_, seconds = 20) {
  let last;
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await sleep(50)) {
    try { if (last = await try_()) return last; } catch (error) { last = error.message; }
  }
  throw new Error(`not within ${seconds} s: ${what} (${last})`);
}

// A driver has go, run (an expression), act, back, reload and picture.
async function firefox() {
  start('firefox-esr', ['--headless', '--profile', mkdtempSync('/tmp/engine'), '--remote-debugging-port=9555', 'about:blank'], {});
  const socket = await until('Firefox', () => new Promise((done, fail) => {
    const ws = new WebSocket('ws://127.0.0.1:9555/session');
    ws.onopen = () => done(ws);
    ws.onerror = () => fail(new Error('not yet'));
  }));
  const waiting = new Map();
  let id = 0;
  socket.onmessage = ({ data }) => { const answer = JSON.parse(data); waiting.get(answer.id)?.(answer); };
  const send = async (method, params) => {
    const answer = await new Promise((done) => { waiting.set(++id, done); socket.send(JSON.stringify({ id, method, params })); });
    if (answer.type === 'error') throw new Error(`${method}: ${answer.message}`);
    return answer.result;
  };
  await send('session.new', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
  const { context } = (await send('browsingContext.getTree', {})).contexts[0];
  await send('browsingContext.setViewport', { context, viewport: { width: 1280, height: 900 } });
  return {
    go: (url) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    run: async (js) => {
      const { result, exceptionDetails } = await send('script.evaluate', { expression: `JSON.stringify(${js})`, target: { context }, awaitPromise: true });
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return result.value === undefined ? undefined : JSON.parse(result.value);
    },
    act: (actions) => send('input.performActions', { context, actions }),
    back: () => send('browsingContext.traverseHistory', { context, delta: -1 }),
    reload: () => send('browsingContext.reload', { context, wait: 'complete' }),
    picture: async () => (await send('browsingContext.captureScreenshot', { context })).data,
  };
}

async function webkit() {
  start('WebKitWebDriver', ['--port=9556'], {});
  const call = async (method, path, body) => {
    const answer = await fetch('http://127.0.0.1:9556' + path, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${value.message}`);
    return value;
  };
  await until('WebKitWebDriver', () => call('GET', '/status'));
  const binary = process.env.MINIBROWSER;
  const { sessionId } = await call('POST', '/session', { capabilities: { alwaysMatch: { acceptInsecureCerts: true,
    'webkitgtk:browserOptions': { binary, args: ['--automation'] } } } });
  const of = (method, path, body) => call(method, `/session/${sessionId}${path}`, body);
  await of('POST', '/window/rect', { width: 1280, height: 900 });
  return {
    go: (url) => of('POST', '/url', { url }),
    run: (js) => of('POST', '/execute/sync', { script: `return (${js})`, args: [] }),
    act: (actions) => of('POST', '/actions', { actions }),
    back: () => of('POST', '/back', {}),
    reload: () => of('POST', '/refresh', {}),
    picture: () => of('GET', '/screenshot'),
  };
}

const driver = await { firefox, webkit }[engine]();
const path = () => driver.run('location.pathname');
const text = () => driver.run('document.body.innerText');
const has = (words) => until(words, async () => (await text()).includes(words));
const go = (at) => driver.go(base + at);

// at returns a point of the last visible element that matches and has the words: inner elements come after outer ones.
const at = (selector, words = '') => until(`${selector} ${words}`, () => driver.run(`((all) => { const e = all.filter((e) => e.checkVisibility?.() !== false
  && e.getClientRects().length && e.textContent.includes(${JSON.stringify(words)})).at(-1); if (!e) return null; e.scrollIntoView({ block: 'center' });
  const r = e.getClientRects()[0]; return { x: Math.round(r.x + Math.min(r.width, 200) / 2), y: Math.round(r.y + r.height / 2) }; })([...document.querySelectorAll(${JSON.stringify(selector)})])`));

async function click(selector, words, times = 1) {
  const { x, y } = await at(selector, words);
  const press = [{ type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }];
  await driver.act([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: [{ type: 'pointerMove', x, y, duration: 0 },
    ...Array.from({ length: times }, () => press).flat()] }]).catch((error) => { if (times === 1) throw error; }); // the page may be gone
}
async function fill(selector, value) {
  await click(selector);
  await driver.run(`((e) => { e.focus(); e.select?.(); return true; })(document.querySelector(${JSON.stringify(selector)}))`);
  await driver.act([{ type: 'key', id: 'keys', actions: [...value].flatMap((key) => [{ type: 'keyDown', value: key }, { type: 'keyUp', value: key }]) }]);
}
let pictures = 0;
async function picture(name) { writeFileSync(`${folder}/${engine}-${String(++pictures).padStart(2, '0')}-${name}.png`, Buffer.from(await until('a picture', driver.picture), 'base64')); }

function code(secret, stepsAhead = 0) { // the code of RFC 6238, by default the current one
  const bits = [...secret].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((b) => parseInt(b, 2)));
  const step = Buffer.alloc(8);
  step.writeBigInt64BE(BigInt(Math.floor(Date.now() / 30000) + stepsAhead));
  const mac = createHmac('sha1', key).update(step).digest();
  return String((mac.readUInt32BE(mac[19] & 15) & 0x7fffffff) % 1e6).padStart(6, '0');
}

const org = '/o/harbour-and-vale';
const keys = (name) => Number(sql(`select count(*) from api_keys where name = '${name}'`));
// After each form: Back and reload send nothing again.
async function backAndReload(count) {
  const before = count();
  await driver.reload();
  await until('the page', async () => (await driver.run('document.readyState')) === 'complete');
  await driver.back();
  await until('the page', async () => (await driver.run('document.readyState')) === 'complete');
  assert.equal(count(), before, 'Back or reload sent the form again');
}
const entries = () => sql('select count(*) from audit_entries');

const jobs = {
  async 'sign in with a code'() {
    await go('/sign-in');
    await has('Sign in');
    await fill('#email', 'tomas@harbour.example.com');
    await fill('#password', 'admin-with-two-steps');
    await click('button.primary', 'Sign in');
    await at('#code');
    await fill('#code', '000000');
    await click('button.primary');
    await has('Wrong code');
    await fill('#code', code('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'));
    await click('button.primary');
    await has('Prompting at the Dock');
    await picture('reports');
  },
  async 'compare and download'() {
    await click('a', 'Prompting at the Dock');
    await has('Read this report from the API'); // which the list lacks
    await click('#m-period summary');
    await click('#m-period a', 'Last quarter');
    const chosen = (parameter) => until(parameter, () => driver.run(`location.search.includes('${parameter}=') && !document.querySelector('.drop[open]')`));
    await chosen('from');
    await click('#m-compare summary');
    await click('#m-compare a', '52 weeks');
    await chosen('compare');
    await picture('report');
    await driver.back();
    await until('Back', () => driver.run(`document.querySelector('#m-compare summary').textContent.includes('previous')`));
    await click('#m-files summary');
    await click('#m-files a', 'CSV');
    await until('an export', () => sql(`select count(*) from audit_entries where action = 'export.finished' and actor_kind = 'person'`) > 0);
  },
  async 'create a key'() {
    await go(org + '/settings/api-keys');
    await click('a', 'Create key');
    await fill('#name', 'Engine');
    await click('label[for=xday]');
    await driver.run(`(document.querySelector('#day').value = '2001-01-01', true)`);
    await click('button.primary', 'Create key');
    await has('to fix');
    await backAndReload(() => keys('Engine'));
    await go(org + '/settings/api-keys/new').catch(() => {});
    await go(org + '/settings/api-keys');
    await click('a', 'Create key');
    await fill('#name', 'Engine');
    await click('button.primary', 'Create key', 2);
    await has('shown only once');
    await picture('created');
    assert.equal(keys('Engine'), 1, 'a double click makes one key');
    await click('button', 'Copy key');
    await backAndReload(() => keys('Engine'));
  },
  async 'rename, replace, revoke'() {
    await go(org + '/settings/api-keys');
    await click('tbody th a', 'Engine');
    await at('h1', 'Engine');
    await click('a', 'Edit');
    await fill('#name', 'Engine two');
    await click('button.primary', 'Save', 2);
    await until('the name', () => keys('Engine two') === 1);
    await backAndReload(entries);
    await go(org + '/settings/api-keys');
    await click('tbody th a', 'Engine two');
    await at('h1', 'Engine two');
    await click('a', 'Replace');
    await picture('replace');
    await click('button.primary', 'Replace key', 2);
    await has('shown only once');
    assert.equal(keys('Engine two'), 2, 'one key and its successor');
    await click('button', 'Copy key');
    await backAndReload(() => keys('Engine two'));
    await go(org + '/settings/api-keys');
    await click('tbody th a', 'Engine two');
    await at('h1', 'Engine two');
    await click('a', 'Revoke');
    await click('button.danger', 'Revoke', 2);
    await until('the revocation', () => sql(`select count(*) from api_keys where name = 'Engine two' and revoked_at <= now()`) >= 1);
    await backAndReload(entries);
  },
  async 'filter the log'() {
    await go(org + '/settings/audit-log');
    await driver.run(`((e) => { e.value = 'api_key.revoked'; return true; })(document.querySelector('#action'))`);
    await click('.filters button', 'Apply');
    await until('the filter', () => driver.run(`location.search.includes('api_key.revoked')`));
    await click('.log tbody tr[id] summary');
    await until('an entry', () => driver.run(`document.querySelector('.log details[open] dl')?.checkVisibility()`));
    await click('.log a', 'Key revoked');
    await picture('log');
    await click('header a', 'Reports');
    await has('Prompting at the Dock');
  },
  async 'two-step off and on'() {
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    await go('/account/two-step');
    await fill('#current', 'admin-with-two-steps');
    await fill('#code', code(secret, 1)); // the sign-in has used the current code, so this is the next
    await click('button.danger', 'Turn off', 2);
    await until('off', () => sql(`select count(*) from users where email = 'tomas@harbour.example.com' and totp_secret is null`) === '1');
    await backAndReload(entries);
    await go('/account/two-step');
    await fill('#current', 'admin-with-two-steps');
    await click('button.primary', 'Continue');
    const offered = (await until('the secret', () => driver.run(`document.querySelector('#totp')?.textContent`))).trim();
    await fill('#code', code(offered));
    await click('button.primary', 'Turn on', 2);
    await at('#codes');
    await picture('recovery-codes');
    await backAndReload(entries);
    assert.equal(sql(`select count(*) from users where email = 'tomas@harbour.example.com' and totp_secret is not null`), '1');
  },
  async 'mode'() {
    await go('/account');
    await click('button', 'Sign out');
    await fill('#email', 'maren@harbour.example.com');
    await fill('#password', 'owner-of-harbour');
    await click('button.primary', 'Sign in');
    await has('Prompting at the Dock');
    await go(org + '/settings/organisation/reporting-mode');
    await click('label[for=mn]');
    await fill('#organisation', 'Harbour & Vale Logistics');
    await picture('mode');
    await click('button.primary', 'Save', 2);
    await has('now show names');
    await backAndReload(entries);
    await go(org + '/settings/organisation/reporting-mode');
    await click('label[for=mp]');
    await click('button.primary', 'Save');
    await has('no longer show names');
  },
  async 'docs'() {
    await go('/docs');
    await fill('#search', 'pandas');
    await until('hits', () => driver.run(`document.body.innerText.includes('Python')`));
    await go('/docs/reference/getForkStats');
    await picture('reference');
    await click('a', 'Client libraries');
    await click('label', 'Go');
    await has('oapi-codegen');
  },
};
for (const [name, job] of Object.entries(jobs)) {
  const began = Date.now();
  try {
    await job();
  } catch (error) {
    await picture('failed').catch(() => {});
    console.log(`${engine}: ${name}: FAILED on ${await path().catch(() => '?')}: ${error.message}`);
    process.exit(1);
  }
  console.log(`${engine}: ${name}: done in ${((Date.now() - began) / 1000).toFixed(1)} s`);
}
process.exit(0);
