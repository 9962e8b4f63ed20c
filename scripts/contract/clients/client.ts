// Calls each operation with the clients that openapi-typescript and orval generate. The compiler checks the types, this the
// answers. The answers differ where one of them is wrong.
import createClient from 'openapi-fetch';
import type { paths } from './out/openapi.js';
import * as orval from './out/orval.js';

declare const process: { env: Record<string, string | undefined> };
const { DG_URL: url = '', DG_KEY: key = '', DG_NOT_FOUND: notFound = '' } = process.env;
const headers = { Authorization: `Bearer ${key}` };
const query = { from: '2026-03-01', to: '2026-03-31' };

function same(what: string, a: unknown, b: unknown): void {
	if (a === undefined || JSON.stringify(a) !== JSON.stringify(b)) {
		throw new Error(`${what}: ${JSON.stringify(a)} and ${JSON.stringify(b)}`);
	}
}

const client = createClient<paths>({ baseUrl: url, headers });
const forks = await client.GET('/api/v1/forks');
const fork = forks.data?.items[0];
if (!fork) {
	throw new Error(`no forks: ${JSON.stringify(forks.error)}`);
}
const path = { forkId: fork.id };
const one = await client.GET('/api/v1/forks/{forkId}', { params: { path } });
const stats = await client.GET('/api/v1/forks/{forkId}/stats', { params: { path, query } });
const csv = await client.GET('/api/v1/forks/{forkId}/exports/csv', { params: { path, query }, parseAs: 'text' });
const wrong = await client.GET('/api/v1/forks/{forkId}', { params: { path: { forkId: 'x' } } });

// orval's client takes the address of the page: a server has none.
const send = globalThis.fetch;
globalThis.fetch = (at, options) => send(url + at, options);
same('the list of forks', forks.data, (await orval.listForks({ headers })).data);
same('a fork', one.data, (await orval.getFork(fork.id, { headers })).data);
same('a fork', one.data, fork);
same('statistics', stats.data, (await orval.getForkStats(fork.id, query, { headers })).data);
same('an unknown fork', wrong.error, (await orval.getFork('x', { headers })).data);
same('its code', wrong.error?.details.code, notFound);
same('a play for each line of the CSV', stats.data?.plays, csv.data?.trim().split('\n').slice(1).length);
