package publicapi_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/app/assembly"
	"dg/platform/input"
	"dg/platform/testkit/pgtest"
)

// zones change their clocks on the days, or have an offset of broken hours, which proves that the
// process is in the zone.
var zones = []struct {
	name   string
	days   []string
	offset int // seconds east of UTC at the first of the days, 12:00 UTC
}{
	{"Europe/Paris", []string{"2024-03-31", "2024-10-27"}, 7200},
	{"America/St_Johns", []string{"2024-03-10", "2024-11-03"}, -9000},
	// half an hour of summer time
	{"Australia/Lord_Howe", []string{"2024-04-07", "2024-10-06"}, 37800},
	{"Asia/Kathmandu", []string{"2024-01-01", "2024-12-31"}, 20700},
	{"Pacific/Apia", []string{"2011-12-30", "2011-12-29"}, 50400}, // it left the 30th out
}

// zoneOfProcess names the zone in the environment of the process that the test below starts.
const zoneOfProcess = "DG_TEST_ZONE"

// rules.md, Formats: a day is a UTC day, wherever the program, its database and its role are. Each
// zone has a process of its own, with TZ set, in which the test below runs.
func TestFiguresInEveryZone(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a database")
	}
	t.Parallel()
	running := map[string]*exec.Cmd{}
	outputs := map[string]*strings.Builder{}
	for _, zone := range zones {
		process := exec.CommandContext(t.Context(), os.Args[0],
			"-test.run=^TestFiguresInTheZoneOfTheProcess$", "-test.v", "-test.count=1")
		// which listens once
		process.Env = append(os.Environ(), "TZ="+zone.name, zoneOfProcess+"="+zone.name,
			"DG_PRISM=")
		outputs[zone.name] = &strings.Builder{}
		process.Stdout = outputs[zone.name]
		process.Stderr = outputs[zone.name]
		require.NoError(t, process.Start())
		running[zone.name] = process
	}
	for zone, process := range running {
		require.NoError(t, process.Wait(), "%s: %s", zone, outputs[zone])
		require.Contains(t, outputs[zone].String(), "\n--- PASS: TestFiguresInTheZoneOfTheProcess",
			zone)
	}
}

// The process of the test above; the database and its roles are in the zone as well.
func TestFiguresInTheZoneOfTheProcess(t *testing.T) {
	name := os.Getenv(zoneOfProcess)
	if name == "" {
		t.Skip("TestFiguresInEveryZone runs this in each zone")
	}
	for i, zone := range zones {
		if zone.name != name {
			continue
		}
		_, offset := day(zone.days[0]).Add(12 * time.Hour).In(time.Local).Zone()
		require.Equal(t, zone.offset, offset, "time.Local is %s", name)
		w := startIn(t, name)
		random := rand.New(rand.NewPCG(80, uint64(i)))
		for j, mode := range []string{"pseudonymous", "nominative"} {
			h := newHistory(random, 1, 9, 6)
			h.mode = mode
			for _, about := range append(zone.days, "2024-02-29", "2000-01-01", "2199-12-31") {
				h.playAround(random, day(about))
			}
			// an import refuses them
			h.plays = slices.DeleteFunc(h.plays, func(p play) bool {
				return !input.IsReportable(p.started)
			})
			w.load(t, h)
			w.exec(t, `insert into plays (id, org_id, fork_id, player, started_at, answers)
				select gen_random_uuid(), p.org_id, p.fork_id, p.player, s, '' from (select *
				  from plays where fork_id = $1 limit 1) p,
				       unnest(array['1999-12-31T23:59:59.999Z', '2200-01-01T00:00:00Z',
				         '2200-01-01T00:00:00.001Z']::timestamptz[]) s`,
				h.forks[0])
			o := asked{
				history: h,
				keys:    w.playerKeys(t, h),
				labels:  w.labels(t, h),
				fork:    h.forks[0],
				group:   []*group{nil, &h.groups[0]}[j],
			}
			token := w.key(t, h.id)
			for _, p := range [][2]string{
				{zone.days[0], zone.days[0]}, {zone.days[1], zone.days[1]},
				{"2024-01-01", "2024-12-31"}, {"2011-12-28", "2011-12-31"},
				{"2024-02-29", "2024-02-29"},
				{"2000-01-01", "2000-01-01"}, {"2000-01-01", "2000-12-31"},
				{"2199-12-31", "2199-12-31"}, {"2198-12-31", "2199-12-31"},
			} {
				o.from = day(p[0])
				o.to = day(p[1])
				o.agree(t, w, token)
			}
		}
	}
}

// startIn starts a world whose database and roles are in the zone.
func startIn(t *testing.T, zone string) *world {
	t.Helper()
	db := pgtest.New(t)
	for _, url := range []string{db.OwnerURL, db.DirectURL} { // each role sets its own
		conn, err := pgx.Connect(t.Context(), url)
		require.NoError(t, err)
		defer conn.Close(t.Context())
		if url == db.OwnerURL {
			_, err = conn.Exec(t.Context(),
				fmt.Sprintf(`alter database %s set timezone = '%s'`, conn.Config().Database, zone))
			require.NoError(t, err)
		}
		_, err = conn.Exec(t.Context(),
			fmt.Sprintf(`alter role current_user in database %s set timezone = '%s'`,
				conn.Config().Database, zone))
		require.NoError(t, err)
		later, err := pgx.Connect(t.Context(), url)
		require.NoError(t, err)
		defer later.Close(t.Context())
		var set string
		require.NoError(t, later.QueryRow(t.Context(), `show timezone`).Scan(&set))
		require.Equal(t, zone, set, "a session that asks for nothing is in the zone")
	}
	one := ofOne(t, db) // sessions from before would be in no zone
	return startOver(t, db, assembly.Pools{Auth: one, Reads: one, Exports: ofOne(t, db)})
}

// playAround adds plays around a day: at its first and last millisecond, at those beside them, and
// at its hours.
func (h *history) playAround(random *rand.Rand, d time.Time) {
	const day = 24 * time.Hour
	for _, at := range []time.Duration{
		-time.Millisecond, 0, time.Millisecond, 90 * time.Minute, 150 * time.Minute, 12 * time.Hour,
		14 * time.Hour, day - time.Hour, day - 2*time.Millisecond,
		day - time.Millisecond, day, day + time.Millisecond,
	} {
		p := play{
			id:      newID(random),
			fork:    h.forks[0],
			player:  random.IntN(len(h.players)),
			started: d.Add(at),
		}
		if random.IntN(3) > 0 {
			p.completed = p.started.Add(3 * time.Hour)
			p.score = random.IntN(10_001)
			p.passed = random.IntN(2) == 0
		}
		h.plays = append(h.plays, p)
	}
}
