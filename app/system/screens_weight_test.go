package system

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/platform/testkit/browsertest"
)

// What a screen may weigh, all its files together: bytes as transferred, compressed, and as the
// browser unpacks them.
const (
	maxTransferred = 60_000
	maxUnpacked    = 90_000
)

// unpacked is the size of the page and its files, uncompressed. A file that was asked for twice,
// ahead of the parser and by it, has two entries.
const unpacked = `[...new Map(performance.getEntriesByType('navigation').concat(performance.getEntriesByType('resource'))
	.map(e => [e.name, e.decodedBodySize])).values()].reduce((sum, size) => sum + size, 0)`

// fastest is the shortest of five times that the page takes, in milliseconds, until its last byte.
const fastest = `(async () => {
	let best = Infinity;
	for (let i = 0; i < 5; i++) {
		const begun = performance.now();
		await (await fetch(location.href, {cache: 'no-store'})).text();
		best = Math.min(best, performance.now() - begun);
	}
	return best;
})()`

// weigh checks and logs the bytes of the page.
func weigh(t *testing.T, p *browsertest.Page, atMost int) {
	t.Helper()
	var size int
	p.Eval(unpacked, &size)
	assert.Less(t, p.TransferSize(), maxTransferred, "compressed")
	assert.Less(t, size, atMost, "uncompressed")
	t.Logf("WEIGHT | %s | %d bytes compressed | %d uncompressed", shortened(p.Path()),
		p.TransferSize(), size)
}

// clock logs how long the page takes.
func clock(t *testing.T, p *browsertest.Page) {
	t.Helper()
	var took float64
	p.Eval(fastest, &took)
	t.Logf("TIME | %s | %.1f ms", shortened(p.Path()), took)
}

// The screens of an organisation of 100,000 players, 200 groups and a million plays are as light as
// any.
func TestScreensOfALargeOrganisation(t *testing.T) {
	if !apptest.Soak {
		t.Skip("SKIPPED: an organisation of 100,000 players takes minutes to import (DG_SOAK=1)")
	}
	dir := apptest.NewFolder(t)
	d := apptest.ServeOn(t, dir, "--demo")
	db := apptest.OpenDoor(t, dir)
	ids := largeOrganisation(t, dir)
	db.Do(t,
		`insert into memberships (org_id, user_id, role) select $1, id, 'owner' from users
			where email_key = 'ilya@harbour.example.com'`,
		ids.Organisation)
	db.Do(t, `analyze`) // as autovacuum does within a minute
	slug := apptest.Read[string](t, db, `select slug from organisations where id = $1`,
		ids.Organisation)
	today := time.Now().UTC()
	month := fmt.Sprintf("?from=%s&to=%s", today.AddDate(0, 0, -27).Format(time.DateOnly),
		today.Format(time.DateOnly))
	fork := "/o/" + slug + "/reports/" + ids.Forks[0].String()
	p := browsertest.New(t)
	signIn(t, p, d, apptest.DemoAccount(t, "ilya@harbour.example.com"), "/account")
	for _, path := range []string{
		"/o/" + slug + "/reports", fork, fork + month, fork + yearUntilToday(),
		fork + yearUntilToday() + "&groupId=" + ids.Groups[len(ids.Groups)-1].String(),
		"/o/" + slug + "/settings/audit-log", "/o/" + slug + "/settings/organisation",
	} {
		p.ClearCache()
		p.Open(d.URL + path)
		require.Equal(t, 200, p.Status(), path)
		weigh(t, p, 2*maxUnpacked) // a page of groups has their ids and commands
		clock(t, p)
	}
}

func largeOrganisation(t *testing.T, dir string) demo.ScaleIDs {
	t.Helper()
	base, err := apptest.ReachableFolder()
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	file := filepath.Join(base, "large.ndjson")
	f, err := os.Create(file)
	require.NoError(t, err)
	size := demo.Size{Plays: 1_000_000, Players: 100_000, Forks: 2, Days: 365}
	for i := range 200 {
		size.Groups = append(size.Groups, 20+i)
	}
	ids, err := demo.Scale(f, 15, time.Now(), size)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	apptest.ImportFile(t, dir, file)
	return ids
}
