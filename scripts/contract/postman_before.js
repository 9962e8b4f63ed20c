// Fills the last 28 days, and skips a request whose id is unknown: another organisation's would be recorded as refused.
const day = (back) => new Date(Date.now() - back * 864e5).toISOString().slice(0, 10);
for (const [name, value] of [["from", day(27)], ["to", day(0)]]) {
	if (!pm.variables.get(name)) pm.variables.set(name, value);
}
const url = pm.request.url.toString();
for (const [name, help] of [["forkId", "Send List the forks first."], ["groupId", "Set it: Settings, Organisation shows the id of each group."]]) {
	if (url.includes(`{{${name}}}`) && !pm.variables.get(name)) {
		console.warn(`Skipped: no ${name}. ${help}`);
		pm.execution.skipRequest();
	}
}
