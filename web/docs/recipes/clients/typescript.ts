// Lists the forks with last month's figures, then saves the plays of the first one as plays.csv.
import { createWriteStream, readFileSync, renameSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { paths } from './dg.js';

// Too many requests, or busy: the answer says how long to wait.
async function patiently(request: Request): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(request.clone(), { redirect: 'error', signal: AbortSignal.timeout(1_800_000) }); // the key goes to no other address
    const answers = `${response.status} ${response.headers.get('Content-Type')}`;
    if (response.ok && !/^200 (application\/json|text\/csv)/.test(answers)) throw new Error('The answer is not the service’s: is a proxy or a sign-in page in between?');
    if (tries === 8 || ![429, 503].includes(response.status)) return response;
    await sleep(1000 * after(response.headers.get('Retry-After') ?? ''));
  }
}

// Retry-After has seconds, or a date within an hour. Anything else means five seconds.
function after(text: string): number {
  if (/^\d{1,4}(\.\d+)?$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.now()) / 1000;
  return seconds >= 0 && seconds <= 3600 ? seconds : 5;
}

process.on('uncaughtException', ({ message, cause }: any) => { console.error(message, cause?.code ?? cause?.message ?? ''); process.exit(1); });
const key = (process.env.DG_KEY ?? '').trim(); // removes blanks, line ends and a byte order mark
if (!/^dg_live_[0-9A-Za-z_]+$/.test(key)) throw new Error('DG_KEY must be dg_live_<id>_<secret>: one line of ASCII, without quotes.');
// Removes control characters, and the key, which a gateway may repeat.
const told = (error: any, { status }: Response) => new Error(`${status} ${error?.message ?? error}`.replaceAll(key, '…').replace(/\p{C}/gu, '').slice(0, 500));

const client = createClient<paths>({
  baseUrl: 'https://dg.example.org',
  headers: { Authorization: `Bearer ${key}` },
  fetch: patiently,
});
const now = new Date();
const day = (month: number, date: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), month, date)).toISOString().slice(0, 10);
const query = { from: day(now.getUTCMonth() - 1, 1), to: day(now.getUTCMonth(), 0) };

const { data: forks, error, response } = await client.GET('/api/v1/forks');
if (!forks) throw told(error, response);
if (!forks.items.length) throw new Error('There is no fork yet.');
let plays: number | undefined; // of the first fork
for (const fork of forks.items) {
  const params = { path: { forkId: fork.id }, query };
  const { data: stats, error, response } = await client.GET('/api/v1/forks/{forkId}/stats', { params });
  if (!stats) throw told(error, response);
  plays ??= stats.plays;
  console.log(`${fork.title}: ${stats.plays} plays, ${stats.uniquePlayers} players`);
}

const csv = await client.GET('/api/v1/forks/{forkId}/exports/csv', {
  params: { path: { forkId: forks.items[0].id }, query },
  parseAs: 'stream',
});
if (!csv.data) throw told(csv.error, csv.response);
// Throws where the transfer breaks off.
await pipeline(Readable.fromWeb(csv.data as any), createWriteStream('plays.csv.part'));
const text = readFileSync('plays.csv.part', 'utf8');
if (!text.startsWith('playId,forkId,releaseNumber,playerKey,playerLabel,startedAt,')) throw new Error('The answer is no export: its header row is another one.');
const rows = text.split('\n'); // no cell has a line end, and the last row ends with one
if (rows.pop() !== '' || rows.length - 1 !== plays) throw new Error('Rows are missing or cut, or a play came in between: run it again.');
renameSync('plays.csv.part', 'plays.csv');
