// Passes requests on to the demo, and answers with values that its document does not know yet, as a later release may: clients and
// judges have to accept them. Usage: node unknown.js PORT UPSTREAM
import http from 'node:http';

const [port, upstream] = process.argv.slice(2);
const later = { status: 'paused', visibility: 'partners', sourceLocale: 'it', reportingMode: 'anonymous', skillId: 'later.skill' };
const form = new RegExp(`"(${Object.keys(later).join('|')})":"[^"]+"`, 'g');

http.createServer(async (request, response) => {
	const { authorization } = request.headers;
	const answer = await fetch(`http://127.0.0.1:${upstream}${request.url}`, { headers: { authorization } });
	const body = (await answer.text()).replace(form, (_, name) => `"${name}":"${later[name]}"`)
		.replace('"ERR_NOT_FOUND"', '"ERR_LATER"').replace('"not-found"', '"later"');
	const headers = new Headers(answer.headers);
	for (const name of ['content-encoding', 'content-length', 'transfer-encoding', 'connection']) {
		headers.delete(name); // of the body as it came
	}
	response.writeHead(answer.status, Object.fromEntries(headers));
	response.end(body);
}).listen(Number(port), '127.0.0.1');
