package chaos

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/authz"
	"dg/platform/testkit/fixtures"
)

// exportEvent is what happens on one instance while another sends exports. They break off, or are
// whole and of the moment that they began.
type exportEvent struct {
	name   string
	breaks bool
	happen func(t *testing.T, x *underway)
}

var exportEvents = []exportEvent{
	{
		"the key is revoked", true, func(t *testing.T, x *underway) {
			apptest.RevokeKey(t, x.browser, x.Slug, x.key.Token())
		},
	},
	{"the reporting mode changes", false, func(t *testing.T, x *underway) {
		status, body, _ := x.browser.Send("/o/"+x.Slug+"/settings/organisation/reporting-mode",
			url.Values{"mode": {"nominative"}, "organisation": {x.Slug}})
		require.Equal(t, http.StatusSeeOther, status, "%s", body)
	}},
	{"the key expires", true, func(_ *testing.T, x *underway) {
		x.DB.Exec(
			`update api_keys set expires_at = date_trunc('milliseconds', clock_timestamp()) where id = $1`,
			x.key.ID,
		)
	}},
	{"a player is erased", false, func(t *testing.T, x *underway) {
		policy, err := authz.New()
		require.NoError(t, err)
		_, err = org.New(x.DB.Owner, audit.New(x.DB.Owner), policy).
			Erase(t.Context(), x.erased.ID, reports.DropDirty, audit.Request{})
		require.NoError(t, err)
	}},
	{"the plan ends", true, func(_ *testing.T, x *underway) {
		x.DB.Exec(`update organisations set plan = 'team' where id = $1`, x.ID)
	}},
}

// The exports of one organisation and event: the fork has this many plays, of so many players.
const (
	exportsOfEvent  = 2
	underwayPlays   = 30_000
	underwayPlayers = 50
)

// underway are exports of one organisation that run on one instance, while something happens on
// another.
type underway struct {
	*apptest.Managed
	exportEvent
	key      fixtures.Key
	fork     fixtures.Fork
	erased   fixtures.Player
	browser  *apptest.WebClient // of the owner, on the other instance
	readers  []*slowReader
	answered time.Time     // when the event was
	broken   time.Duration // after the answer, the last of those that broke off
}

// All exports that run while a key is revoked, expires or loses its plan on another instance break
// off, so that every client notices. They are not touched by a change of the reporting mode, and
// not by an erasure: rules.md, CSV.
func TestRunningExportsWhenSomethingChanges(t *testing.T) {
	t.Parallel()
	db := fixtures.New(t)
	// three organisations of two exports each fit in one
	instances := serveInstances(t, db, apptest.ChaosSize(3, 9, 9))
	for _, c := range instances {
		apptest.ReadAll(t, apptest.Ask(t, apptest.NewClient(), c.URL+"/sign-in", ""))
	}
	o := beginOrdeal(t, apptest.DoorTo(t, db.URL), instances...)
	all := make([]*underway, apptest.ChaosSize(1, 5, 5)*len(exportEvents))
	apptest.AtOnce(len(all), func(n int) {
		all[n] = newUnderway(t, db, exportEvents[n%len(exportEvents)],
			instances[(n+1)%len(instances)].URL)
	})
	apptest.AtOnce(len(all), func(n int) { all[n].begin(t, o, n, instances[n%len(instances)].URL) })
	const runs = `select count(*) from audit_entries where action = 'export.started'`
	require.Equal(t, len(all)*exportsOfEvent, apptest.Read[int](t, o.door, runs))
	require.Zero(t,
		apptest.Read[int](t, o.door,
			`select count(*) from audit_entries where action = 'export.finished'`), "they all run")
	apptest.AtOnce(len(all), func(n int) {
		all[n].happen(t, all[n])
		all[n].answered = time.Now()
	})
	for _, breaks := range []bool{true, false} { // the others run on until those have broken off
		apptest.AtOnce(len(all), func(n int) {
			if all[n].breaks == breaks {
				all[n].end(t, o)
			}
		})
	}
	slowest := time.Duration(0)
	for _, x := range all {
		slowest = max(slowest, x.broken)
	}
	t.Logf("%d exports at once; the last broke off %s after the answer to what ended it",
		len(all)*exportsOfEvent, slowest)
	o.ends(t)
}

func newUnderway(t *testing.T, db *fixtures.Database, e exportEvent, other string) *underway {
	t.Helper()
	x := &underway{
		Managed: apptest.NewManaged(t, db, db.Organisation(fixtures.Organisation{}),
			[]string{other}, new(apptest.Tally)),
		exportEvent: e,
	}
	x.fork = db.Fork(fixtures.Fork{OrganisationID: x.ID})
	x.key = db.Key(x.ID)
	x.erased = db.Players(x.ID, underwayPlayers)[underwayPlayers/2]
	db.Plays(x.fork, underwayPlays, x.fork.CreatedAt, time.Second)
	x.browser = x.SignedIn(t, x.Owner)
	return x
}

// begin begins the exports, each by another of the clients.
func (x *underway) begin(t *testing.T, o *ordeal, n int, instance string) {
	for i := range exportsOfEvent {
		id := fmt.Sprintf("underway-%d-%d", n, i)
		kind := exportReaders[(n*exportsOfEvent+i)%len(exportReaders)]
		r := &slowReader{id: id, fast: make(chan struct{}), ended: make(chan error, 1)}
		kind(r, t, instance+"/api/v1/forks/"+x.fork.ID+"/exports/csv?from=2026-01-01&to=2026-12-31",
			x.key.Token())
		x.readers = append(x.readers, r)
		o.saw(id, "export.started")
	}
}

// end looks at what became of the exports.
func (x *underway) end(t *testing.T, o *ordeal) {
	for _, r := range x.readers {
		if x.breaks {
			outcome, rows := o.door.Finished(t, r.id)
			ended := apptest.Read[time.Time](t, o.door,
				`select at from audit_entries where request_id = $1 and action = 'export.finished'`,
				r.id)
			x.broken = max(x.broken, ended.Sub(x.answered))
			err := r.readOn(t)
			require.Equal(t, "key_unusable", outcome, x.name)
			require.Regexp(t, `connection reset by peer|exit status 56`, err,
				"%s: a broken file of %s looks whole", x.name, r.kind)
			require.Less(t, rows, underwayPlays)
			continue
		}
		require.NoError(t, r.readOn(t), "%s: %s", x.name, r.kind)
		x.isOfItsBeginning(t, r.text(t))
	}
	x.isSeenAfterwards(t)
}

// isOfItsBeginning compares a file with what it would have been without the event.
func (x *underway) isOfItsBeginning(t *testing.T, file string) {
	require.Equal(t, underwayPlays+1, strings.Count(file, "\n"), x.name)
	require.NotContains(t, file, "Player", "%s: names in an export that began under pseudonyms",
		x.name)
	require.Equal(t, underwayPlays/underwayPlayers,
		strings.Count(file, ","+x.erased.Label+","+x.erased.Label+","), x.name)
}

// isSeenAfterwards asks for another export.
func (x *underway) isSeenAfterwards(t *testing.T) {
	status, body := apptest.FetchFrom(x.HTTP,
		x.Entrances[0]+"/api/v1/forks/"+x.fork.ID+"/exports/csv"+apptest.SomeDays, x.key.Token())
	x.HTTP.CloseIdleConnections()
	if x.breaks {
		require.Equal(t, http.StatusUnauthorized, status, x.name)
		return
	}
	require.Equal(t, http.StatusOK, status, x.name)
	require.NotContains(t, string(body), ","+x.erased.Label+","+x.erased.Label+",", x.name)
}
