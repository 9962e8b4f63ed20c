import { readFile, rename, writeFile } from 'node:fs/promises';

process.on('uncaughtException', ({ message, cause }) => { console.error(message, cause?.code ?? cause?.message ?? ''); process.exit(1); });
const key = process.env.DG_KEY?.trim() ?? '';
if (!/^dg_live_\w+$/.test(key)) throw new Error('DG_KEY must be one key, without quotes.');
const headers = { Authorization: `Bearer ${key}` };
const fork = 'https://dg.example.org/api/v1/forks/60772820-1226-4be5-b50f-c2adbe3dca64';
const answer = await fetch(`${fork}/exports/csv?from=2026-03-01&to=2026-03-02`, { headers, redirect: 'error', signal: AbortSignal.timeout(1_800_000) });
if (answer.status !== 200) throw new Error(`${answer.status} ${(await answer.text()).replaceAll(key, '…').replace(/\p{C}/gu, '').slice(0, 500)}`);
await writeFile('plays.part.csv', answer.body);
const text = await readFile('plays.part.csv', 'utf8');
if (!text.startsWith('playId,') || !text.endsWith('\n')) throw new Error('This is no whole export.');
await rename('plays.part.csv', 'plays.csv');
