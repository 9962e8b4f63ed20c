// Stands between clients and the demo: node between.js PORT UPSTREAM later|busy
// later: answers with values that the document does not have, as a later release may; clients and prism must accept them.
// busy: answers every other list of forks 429. While there is a file out/break, its content says how exports break off.
import fs from 'node:fs';
import http from 'node:http';

const [port, upstream, mode] = process.argv.slice(2);
const later = { status: 'paused', visibility: 'partners', sourceLocale: 'it', reportingMode: 'anonymous', skillId: 'later.skill' };
const form = new RegExp(`"(${Object.keys(later).join('|')})":"[^"]+"`, 'g');
let lists = 0;

http.createServer(async (request, response) => {
	if (mode === 'busy' && request.url === '/api/v1/forks' && lists++ % 2 === 0) {
		response.writeHead(429, { 'Retry-After': 1, 'Content-Type': 'application/json' });
		response.end('{"code":"resource-exhausted","message":"Wait.","details":{"code":"ERR_RATE_LIMITED"}}');
		return;
	}
	const { authorization } = request.headers;
	const answer = await fetch(`http://127.0.0.1:${upstream}${request.url}`, { headers: { authorization } });
	let body = await answer.text();
	if (mode === 'later') {
		body = body.replace(form, (_, name) => `"${name}":"${later[name]}"`).replace('"ERR_NOT_FOUND"', '"ERR_LATER"').replace('"not-found"', '"later"');
	}
	const headers = new Headers(answer.headers);
	for (const name of ['content-encoding', 'content-length', 'transfer-encoding', 'connection']) {
		headers.delete(name); // these headers describe the original body
	}
	response.writeHead(answer.status, Object.fromEntries(headers));
	if (mode === 'busy' && request.url.includes('/csv') && fs.existsSync('out/break')) {
		response.write(body.slice(0, body.length / 2));
		setTimeout(() => fs.readFileSync('out/break', 'utf8').trim() === 'reset' ? request.socket.resetAndDestroy() : request.socket.destroy(), 300);
		return;
	}
	response.end(body);
}).listen(Number(port), '127.0.0.1');
