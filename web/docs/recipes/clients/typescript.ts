// Lists the forks with last month's figures, then saves the plays of the first one as plays.csv.
import { createWriteStream, renameSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { paths } from './dg.js';

// Too many requests, or busy: the answer says how long to wait.
async function patiently(request: Request): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(request.clone());
    if (tries === 8 || ![429, 503].includes(response.status)) return response;
    await sleep(1000 * Number(response.headers.get('Retry-After') ?? 5));
  }
}

const client = createClient<paths>({
  baseUrl: 'https://dg.example.org',
  headers: { Authorization: `Bearer ${process.env.DG_KEY}` },
  fetch: patiently,
});
const now = new Date();
const day = (month: number, date: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), month, date)).toISOString().slice(0, 10);
const query = { from: day(now.getUTCMonth() - 1, 1), to: day(now.getUTCMonth(), 0) };

const { data: forks, error } = await client.GET('/api/v1/forks');
if (!forks) throw new Error(error.message);
for (const fork of forks.items) {
  const params = { path: { forkId: fork.id }, query };
  const { data: stats, error } = await client.GET('/api/v1/forks/{forkId}/stats', { params });
  if (!stats) throw new Error(error.message);
  console.log(`${fork.title}: ${stats.plays} plays, ${stats.uniquePlayers} players`);
}

const csv = await client.GET('/api/v1/forks/{forkId}/exports/csv', {
  params: { path: { forkId: forks.items[0].id }, query },
  parseAs: 'stream',
});
if (csv.error) throw new Error(csv.error.message);
// Throws where the transfer breaks off.
await pipeline(Readable.fromWeb(csv.data as any), createWriteStream('plays.csv.part'));
renameSync('plays.csv.part', 'plays.csv');
