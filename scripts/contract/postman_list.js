// Takes the ids from the list. They change with the key's organisation only: your own choice stays.
const { items = [] } = pm.response.code === 200 ? pm.response.json() : {};
const known = pm.collectionVariables.get("forkId");
const fork = items.find(({ status, deployedReleaseNumber }) => status === "active" && deployedReleaseNumber) || items[0];
if (fork && !items.some(({ id }) => id === known)) {
	pm.collectionVariables.set("forkId", fork.id);
	const demo = items.some(({ id }) => id === "DEMO_FORK");
	if (known || demo) pm.collectionVariables.set("groupId", demo ? "DEMO_GROUP" : "");
}
