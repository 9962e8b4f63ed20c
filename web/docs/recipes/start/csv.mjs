import { readFile, rename, writeFile } from 'node:fs/promises';

const key = process.env.DG_KEY?.trim() ?? '';
if (!/^[!-~]+$/.test(key)) throw new Error('DG_KEY must be one line of ASCII.');
const headers = { Authorization: `Bearer ${key}` };
const fork = 'https://dg.example.org/api/v1/forks/60772820-1226-4be5-b50f-c2adbe3dca64';
const answer = await fetch(`${fork}/exports/csv?from=2026-03-01&to=2026-03-02`, { headers, redirect: 'error' });
if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
await writeFile('plays.part.csv', answer.body);
if (!(await readFile('plays.part.csv', 'utf8')).startsWith('playId,')) throw new Error('This is no export.');
await rename('plays.part.csv', 'plays.csv');
