package reports_test

import (
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/exports"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// The download has the same rows as the API, to the byte, in both modes, and is recorded with
// the person as its actor (rules.md, CSV).
func TestDownloadEqualsTheAPIExport(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	random := rand.New(rand.NewPCG(7, 7))
	now := time.Now().UTC()
	for _, mode := range []string{"pseudonymous", "nominative"} {
		o := w.OrganisationOf(fixtures.Organisation{Slug: mode, ReportingMode: mode})
		played := w.Fork(o)
		fork := played.ID
		names := numbered(30)
		copy(names, []string{"=1+1", `a "quoted", name`, "@x", "\u202eevil"})
		players := w.DB.PlayersNamed(o.ID, names...)
		small := w.DB.Group(o.ID, players[:4]...)
		large := w.DB.Group(o.ID, players[:20]...)
		randomPlays(w, random, 900, 40, []fixtures.Fork{played}, players, now)
		get := w.Beside(t, o)
		b := w.SignedIn(t, o.Admin)
		from := now.AddDate(0, 0, -30).Format(time.DateOnly)
		to := now.Format(time.DateOnly)
		for i, group := range []string{"", small, large} {
			ofAPI := "/forks/" + fork + "/exports/csv?from=" + from + "&to=" + to
			if group != "" {
				ofAPI += "&groupId=" + group
			}
			want := get(ofAPI)
			w.UntilFinished(t, o, 2*i+1) // the end of an export is recorded after its last byte
			before := len(w.ExportsOf(t, o))
			path := o.At("/reports/%s/plays.csv?from=%s&to=%s&groupId=%s", fork, from, to, group)
			head := b.Send(http.MethodHead, path, "", webtest.FromHere)
			require.Equal(t, http.StatusOK, head.StatusCode)
			require.Len(t, w.ExportsOf(t, o), before, "HEAD exports nothing and records nothing")
			got := b.Get(path)
			require.Equal(t, http.StatusOK, got.StatusCode)
			require.Equal(t, want.Body, got.Body)
			require.Equal(t, group == small, strings.Count(got.Body, "\n") == 1)
			for _, name := range []string{
				"Content-Type", "Content-Disposition", "Cache-Control", "X-Dg-Report-Suppressed",
			} {
				require.Equal(t, want.Header.Get(name), got.Header.Get(name), name)
				require.Equal(t, want.Header.Get(name), head.Header.Get(name), "HEAD: "+name)
			}
			finished := w.UntilFinished(t, o, 2*i+2)
			started := w.ExportsOf(t, o)[1]
			for _, e := range []audit.Entry{started, finished} {
				require.Equal(t,
					audit.Actor{Kind: audit.Person, ID: o.Admin.ID, Name: o.Admin.Name},
					e.Actor)
				require.Equal(t, audit.Target{Kind: "fork", ID: fork}, e.Target)
				require.Equal(t, "GET", e.Request.Method)
				require.Equal(t, strings.Split(path, "?")[0], e.Request.Path)
			}
			require.Equal(t, audit.ExportStarted, started.Action)
			require.Equal(t, "completed", finished.Details["outcome"])
			require.EqualValues(t, strings.Count(got.Body, "\n")-1, finished.Details["rows"])
		}
	}
}

// rules.md, CSV: if the start of an export cannot be recorded, the answer is 503 and no data.
// People get a page.
func TestDownloadThatCannotBeRecordedSendsNothing(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	o := w.Organisation("acme")
	fork := w.Played(o)
	b := w.SignedIn(t, o.Owner)
	w.DB.Exec(`revoke insert on audit_entries from dg_app`)
	p := b.Get(o.At("/reports/%s/plays.csv", fork))
	require.Equal(t, http.StatusServiceUnavailable, p.StatusCode)
	require.Contains(t, p.Body, "could not be recorded in the audit log")
	require.NotContains(t, p.Body, "playId")
}

// rules.md, Order of checks, as far as a download has them: fork, period, group; each a page that
// says what to do.
func TestInvalidDownloadIsRejected(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	o := w.Organisation("acme")
	other := w.Organisation("other")
	fork := w.Fork(o).ID
	foreign := w.Fork(other).ID
	group := w.DB.GroupNamed(other.ID, "theirs")
	b := w.SignedIn(t, o.Owner)
	for path, want := range map[string]struct {
		status   int
		sentence string
	}{
		"/reports/" + foreign +
			"/plays.csv?from=x": {404, "Fork not found"},
		"/reports/unknown/plays.csv": {
			404, "Fork not found",
		},
		"/reports/" + fork +
			"/plays.csv?from=2026-01-01&to=x&groupId=nobody": {400, "“To” is not a date"},
		"/reports/" + fork +
			"/plays.csv?from=2026-01-01&to=2024-01-01": {400, "is before “From”"},
		"/reports/" + fork +
			"/plays.csv?from=2025-01-01&to=2026-11-21": {400, "has 690 days"},
		"/reports/" + fork +
			"/plays.csv?from=2025-01-01&from=2025-01-01": {400, "is repeated"},
		"/reports/" + fork +
			"/plays.csv?groupId=nobody": {404, "Group not found"},
		"/reports/" + fork + "/plays.csv?groupId=" +
			group: {404, "Group not found"},
		"/reports/" + fork + "/plays.csv/?from=2026-01-01&to=2026-01-02&groupId=": {404, ""},
	} {
		p := b.Get(o.At("%s", path))
		require.Equal(t, want.status, p.StatusCode, path)
		require.Contains(t, p.Body, want.sentence, path)
		require.Contains(t, p.Header.Get("Content-Type"), "text/html", path)
		require.NotContains(t, p.Body, other.Name, path)
	}
	require.Empty(t, w.ExportsOf(t, o))
}

// long is a world with one fork of more plays than any buffer between here and there holds.
func long(t *testing.T) (*webtest.World, *webtest.Organisation, string) {
	t.Helper()
	w := webtest.Start(t)
	o := w.Organisation("acme")
	fork := w.Fork(o).ID
	w.DB.Players(o.ID, 1)
	w.DB.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
		select gen_random_uuid(), f.org_id, f.id, p.ordinal,
		  timestamptz '2024-05-01' + i * interval '1 s', decode(repeat('0302', 50), 'hex')
		  from generate_series(1, 60000) i, forks f, lateral (select min(ordinal) as ordinal
		    from players where org_id = f.org_id) p
		 where f.id = $1`, fork)
	return w, o, fork
}

func downloadOf(o *webtest.Organisation, fork string) string {
	return o.At("/reports/%s/plays.csv?from=2024-01-01&to=2024-12-31", fork)
}

// rules.md, CSV: a running download is aborted within two seconds after the session, the membership
// or the role ends, and the browser notices.
func TestDownloadEndsWhenAccessIsRevoked(t *testing.T) {
	t.Parallel()
	w, o, fork := long(t)
	path := downloadOf(o, fork)
	for i, sql := range []string{
		`delete from sessions where user_id = $1`,
		`delete from memberships where user_id = $1`,
		`update memberships set role = 'member' where user_id = $1`,
	} {
		reader := []fixtures.Person{o.Owner, o.Admin, o.AdminPlain}[i]
		_, in := w.Begin(t, w.SignedIn(t, reader), path)
		begun := time.Now()
		w.DB.Exec(sql, reader.ID)
		finished := w.UntilFinished(t, o, i+1)
		require.Less(t, time.Since(begun), 3*time.Second, sql)
		require.Equal(t, "access_ended", finished.Details["outcome"], sql)
		require.Equal(t, reader.ID, finished.Actor.ID)
		require.Less(t, finished.Details["rows"], 60_000.0)
		_, err := io.ReadAll(in)
		require.ErrorIs(t, err, syscall.ECONNRESET, "the transfer does not end as a whole one does")
	}
	left := w.SignedIn(t, o.Owner)
	conn, _ := w.Begin(t, left, path)
	require.NoError(t, conn.Close())
	require.Equal(t, "client_gone", w.UntilFinished(t, o, 4).Details["outcome"])
	require.Equal(t, http.StatusOK, left.Get(path).StatusCode, "the place was given back")
}

// How many exports run at once has a bound for a fixtures.Person, and one for the organisation that
// people and keys share.
func TestConcurrentDownloadsAreLimited(t *testing.T) {
	t.Parallel()
	w, o, fork := long(t)
	path := downloadOf(o, fork)
	owner := w.SignedIn(t, o.Owner)
	admin := w.SignedIn(t, o.Admin)
	for range exports.MaxAtOnceOfActor {
		_, in := w.Begin(t, owner, path)
		readSlowly(t, in)
	}
	more := owner.Get(path)
	require.Equal(t, http.StatusServiceUnavailable, more.StatusCode)
	require.Equal(t, "5", more.Header.Get("Retry-After"))
	require.Contains(t, more.Body, "Too many exports of yours: at most 3 run at once")
	get := w.Beside(t, o)
	ofAPI := "/forks/" + fork + "/exports/csv?from=2024-01-01&to=2024-12-31"
	last, in := w.Begin(t, admin, path)
	readSlowly(t, in)
	busy := get(ofAPI)
	require.Equal(t, http.StatusServiceUnavailable, busy.StatusCode,
		"people and keys share the places")
	require.Equal(t, "5", busy.Header.Get("Retry-After"))
	require.Len(t, w.ExportsOf(t, o), exports.MaxAtOnceOfOrganisation,
		"what was not started is not recorded")
	require.NoError(t, last.Close())
	require.Equal(t, http.StatusOK, get(ofAPI).StatusCode)
}

// readSlowly reads at 200 KB/s in the background until the answer ends.
func readSlowly(t *testing.T, in io.Reader) {
	t.Helper()
	ctx := t.Context()
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			<-tick.C
			if _, err := io.CopyN(io.Discard, in, 10_000); err != nil {
				return
			}
		}
	}()
}
