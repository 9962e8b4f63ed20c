package publicapi_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/app/assembly"
	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
)

// zoneOfProcess is the variable that names the zone to the process of
// TestFiguresInTheZoneOfTheProcess.
const zoneOfProcess = "DG_TEST_ZONE"

// rules.md, Formats: a day is a UTC day in every time zone of the program, its database and its
// role. Each zone needs a process with TZ set. Both offsets are no whole hours; one changes with
// summer time.
func TestFiguresInEveryZone(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a database")
	}
	t.Parallel()
	for _, zone := range []string{"America/St_Johns", "Asia/Kathmandu"} {
		process := exec.CommandContext(t.Context(), os.Args[0],
			"-test.run=^TestFiguresInTheZoneOfTheProcess$", "-test.v", "-test.count=1")
		process.Env = append(os.Environ(), "TZ="+zone, zoneOfProcess+"="+zone)
		out, err := process.CombinedOutput()
		require.NoError(t, err, "%s: %s", zone, out)
		require.Contains(t, string(out), "\n--- PASS: TestFiguresInTheZoneOfTheProcess", zone)
	}
}

// The database and its roles are in the zone of the process.
func TestFiguresInTheZoneOfTheProcess(t *testing.T) {
	name := os.Getenv(zoneOfProcess)
	if name == "" {
		t.Skip("TestFiguresInEveryZone runs this in each zone")
	}
	_, offset := day("2024-03-10").Add(12 * time.Hour).Zone()
	_, local := day("2024-03-10").Add(12 * time.Hour).In(time.Local).Zone()
	require.NotEqual(t, offset, local, "the process is in %s", name)
	w := startIn(t, name)
	random := rand.New(rand.NewPCG(80, 1))
	for j, mode := range []string{"pseudonymous", "nominative"} {
		h := newHistory(1, 9, 6)
		h.mode = mode
		days := []string{"2024-03-10", "2024-11-03", "2024-02-29", "2000-01-02", "2199-12-30"}
		for _, about := range days {
			h.playAround(random, day(about))
		}
		w.load(t, h)
		o := w.ask(t, h, "2024-01-01", "2024-12-31")
		o.group = []*group{nil, &h.groups[0]}[j]
		token := w.key(t, h.id)
		o.requireAgreement(t, w, token)
		for _, d := range days {
			o.From = day(d)
			o.To = day(d)
			o.requireAgreement(t, w, token)
		}
	}
}

// startIn starts a world whose database and roles are in the zone.
func startIn(t *testing.T, zone string) *world {
	t.Helper()
	db := pgtest.New(t)
	for _, url := range []string{db.OwnerURL, db.URL} { // each role sets its own
		conn, err := pgx.Connect(t.Context(), url)
		require.NoError(t, err)
		defer conn.Close(t.Context())
		_, err = conn.Exec(t.Context(),
			fmt.Sprintf(`alter role current_user in database %s set timezone = '%s'`,
				conn.Config().Database, zone))
		require.NoError(t, err)
	}
	conn, err := pgx.Connect(t.Context(), db.URL)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	var set string
	require.NoError(t, conn.QueryRow(t.Context(), `show timezone`).Scan(&set))
	require.Equal(t, zone, set, "a session without a setting is in the zone")
	// the pool of db may have sessions from before the change
	one := pgtest.Open(t, db.URL, postgres.Options{MaxConns: 2})
	return startWith(t, db, assembly.Pools{Requests: one, Snapshots: one})
}

// playAround adds plays around the limits of a day, and within it.
func (h *history) playAround(random *rand.Rand, d time.Time) {
	const day = 24 * time.Hour
	for _, at := range []time.Duration{
		-time.Millisecond, 0, time.Millisecond, 150 * time.Minute, 12 * time.Hour, day - time.Hour,
		day - time.Millisecond, day, day + time.Millisecond,
	} {
		h.play(random.IntN(len(h.players)), d.Add(at))
		if p := &h.plays[len(h.plays)-1]; random.IntN(3) > 0 {
			p.Completed = p.Started.Add(3 * time.Hour)
			p.Score = random.IntN(10_001)
			p.Passed = random.IntN(2) == 0
		}
	}
}
