package web_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/exports"
	"dg/platform/testkit/fixtures"
)

// exportsOf are the log's entries of exports, newest first.
func (w *world) exportsOf(t *testing.T, o *organisation) []audit.Entry {
	t.Helper()
	all, err := w.log.List(t.Context(), o.ID, audit.Page{Limit: 1000})
	require.NoError(t, err)
	var entries []audit.Entry
	for _, e := range all {
		if e.Action == audit.ExportStarted || e.Action == audit.ExportFinished {
			entries = append(entries, e)
		}
	}
	return entries
}

// untilFinished waits until n exports have ended, and returns the entry of the last.
func (w *world) untilFinished(t *testing.T, o *organisation, n int) audit.Entry {
	t.Helper()
	var last audit.Entry
	require.Eventually(t, func() bool {
		finished := 0
		for _, e := range w.exportsOf(t, o) {
			if e.Action == audit.ExportFinished {
				if finished++; finished == 1 {
					last = e
				}
			}
		}
		return finished >= n
	}, 15*time.Second, 10*time.Millisecond)
	return last
}

// The download has the same rows as the API, to the byte, in both modes, and is recorded with
// the person as its actor (rules.md, CSV).
func TestDownloadEqualsTheAPIExport(t *testing.T) {
	t.Parallel()
	w := start(t)
	random := rand.New(rand.NewPCG(7, 7))
	now := time.Now().UTC()
	for _, mode := range []string{"pseudonymous", "nominative"} {
		o := w.organisationOf(fixtures.Organisation{Slug: mode, ReportingMode: mode})
		played := w.fork(o)
		fork := played.ID
		names := numbered(30)
		copy(names, []string{"=1+1", `a "quoted", name`, "@x", "\u202eevil"})
		players := w.db.PlayersNamed(o.ID, names...)
		small, large := w.db.Group(o.ID, players[:4]...), w.db.Group(o.ID, players[:20]...)
		w.randomPlays(random, 900, 40, []fixtures.Fork{played}, players, now)
		get, b := w.beside(t, o), w.signedIn(t, o.admin)
		from, to := now.AddDate(0, 0, -30).Format(time.DateOnly), now.Format(time.DateOnly)
		for i, group := range []string{"", small, large} {
			ofAPI := "/forks/" + fork + "/exports/csv?from=" + from + "&to=" + to
			if group != "" {
				ofAPI += "&groupId=" + group
			}
			want := get(ofAPI)
			w.untilFinished(t, o, 2*i+1) // the end of an export is recorded after its last byte
			before := len(w.exportsOf(t, o))
			path := o.at("/reports/%s/plays.csv?from=%s&to=%s&groupId=%s", fork, from, to, group)
			head := b.send(http.MethodHead, path, "", fromHere)
			require.Equal(t, http.StatusOK, head.StatusCode)
			require.Len(t, w.exportsOf(t, o), before, "HEAD exports nothing and records nothing")
			got := b.get(path)
			require.Equal(t, http.StatusOK, got.StatusCode)
			require.Equal(t, want.body, got.body)
			require.Equal(t, group == small, strings.Count(got.body, "\n") == 1)
			for _, name := range []string{"Content-Type", "Content-Disposition", "Cache-Control", "X-Dg-Report-Suppressed"} {
				require.Equal(t, want.Header.Get(name), got.Header.Get(name), name)
				require.Equal(t, want.Header.Get(name), head.Header.Get(name), "HEAD: "+name)
			}
			finished := w.untilFinished(t, o, 2*i+2)
			started := w.exportsOf(t, o)[1]
			for _, e := range []audit.Entry{started, finished} {
				require.Equal(t, audit.Actor{Kind: audit.Person, ID: o.admin.ID, Name: o.admin.Name}, e.Actor)
				require.Equal(t, audit.Target{Kind: "fork", ID: fork}, e.Target)
				require.Equal(t, "GET", e.Request.Method)
				require.Equal(t, strings.Split(path, "?")[0], e.Request.Path)
			}
			require.Equal(t, audit.ExportStarted, started.Action)
			require.Equal(t, "completed", finished.Details["outcome"])
			require.EqualValues(t, strings.Count(got.body, "\n")-1, finished.Details["rows"])
		}
	}
}

// rules.md, CSV: if the start of an export cannot be recorded, the answer is 503 and no data. People get a page.
func TestDownloadThatCannotBeRecordedSendsNothing(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisation("acme")
	fork := w.played(o)
	b := w.signedIn(t, o.owner)
	w.db.Exec(`revoke insert on audit_entries from dg_app`)
	p := b.get(o.at("/reports/%s/plays.csv", fork))
	require.Equal(t, http.StatusServiceUnavailable, p.StatusCode)
	require.Contains(t, p.body, "could not be recorded in the audit log")
	require.NotContains(t, p.body, "playId")
}

// rules.md, Order of checks, as far as a download has them: fork, period, group; each a page that says what to do.
func TestInvalidDownloadIsRejected(t *testing.T) {
	t.Parallel()
	w := start(t)
	o, other := w.organisation("acme"), w.organisation("other")
	fork, foreign := w.fork(o).ID, w.fork(other).ID
	group := w.db.GroupNamed(other.ID, "theirs")
	b := w.signedIn(t, o.owner)
	for path, want := range map[string]struct {
		status   int
		sentence string
	}{
		"/reports/" + foreign + "/plays.csv?from=x":                               {404, "Fork not found"},
		"/reports/unknown/plays.csv":                                              {404, "Fork not found"},
		"/reports/" + fork + "/plays.csv?from=2026-01-01&to=x&groupId=nobody":     {400, "“To” is not a date"},
		"/reports/" + fork + "/plays.csv?from=2026-01-01&to=2024-01-01":           {400, "is before “From”"},
		"/reports/" + fork + "/plays.csv?from=2025-01-01&to=2026-11-21":           {400, "has 690 days"},
		"/reports/" + fork + "/plays.csv?from=2025-01-01&from=2025-01-01":         {400, "is repeated"},
		"/reports/" + fork + "/plays.csv?groupId=nobody":                          {404, "Group not found"},
		"/reports/" + fork + "/plays.csv?groupId=" + group:                        {404, "Group not found"},
		"/reports/" + fork + "/plays.csv/?from=2026-01-01&to=2026-01-02&groupId=": {404, ""},
	} {
		p := b.get(o.at("%s", path))
		require.Equal(t, want.status, p.StatusCode, path)
		require.Contains(t, p.body, want.sentence, path)
		require.Contains(t, p.Header.Get("Content-Type"), "text/html", path)
		require.NotContains(t, p.body, other.Name, path)
	}
	require.Empty(t, w.exportsOf(t, o))
}

// long is a world with one fork of more plays than any buffer between here and there holds.
func long(t *testing.T) (*world, *organisation, string) {
	t.Helper()
	w := start(t)
	o := w.organisation("acme")
	fork := w.fork(o).ID
	w.db.Players(o.ID, 1)
	w.db.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
		select gen_random_uuid(), f.org_id, f.id, p.ordinal, timestamptz '2024-05-01' + i * interval '1 s', decode(repeat('0302', 50), 'hex')
		  from generate_series(1, 60000) i, forks f, lateral (select min(ordinal) as ordinal from players where org_id = f.org_id) p
		 where f.id = $1`, fork)
	return w, o, fork
}

func downloadOf(o *organisation, fork string) string {
	return o.at("/reports/%s/plays.csv?from=2024-01-01&to=2024-12-31", fork)
}

// begin begins a download over a connection of its own with a small window, and reads no more than its status.
func (w *world) begin(t *testing.T, b *browser, path string) (net.Conn, *bufio.Reader) {
	t.Helper()
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(16<<10))
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\nCookie: __Host-dg=%s\r\n\r\n", path, b.cookies["__Host-dg"])
	require.NoError(t, err)
	in := bufio.NewReader(conn)
	status, err := in.ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, status, " 200 ")
	return conn, in
}

// rules.md, CSV: a running download is aborted within two seconds after the session, the membership or the role ends, and the
// browser notices.
func TestDownloadEndsWhenAccessIsRevoked(t *testing.T) {
	t.Parallel()
	w, o, fork := long(t)
	path := downloadOf(o, fork)
	for i, sql := range []string{
		`delete from sessions where user_id = $1`,
		`delete from memberships where user_id = $1`,
		`update memberships set role = 'member' where user_id = $1`,
	} {
		reader := []fixtures.Person{o.owner, o.admin, o.adminPlain}[i]
		_, in := w.begin(t, w.signedIn(t, reader), path)
		begun := time.Now()
		w.db.Exec(sql, reader.ID)
		finished := w.untilFinished(t, o, i+1)
		require.Less(t, time.Since(begun), 3*time.Second, sql)
		require.Equal(t, "access_ended", finished.Details["outcome"], sql)
		require.Equal(t, reader.ID, finished.Actor.ID)
		require.Less(t, finished.Details["rows"], 60_000.0)
		_, err := io.ReadAll(in)
		require.ErrorIs(t, err, syscall.ECONNRESET, "the transfer does not end as a whole one does")
	}
	left := w.signedIn(t, o.owner)
	conn, _ := w.begin(t, left, path)
	require.NoError(t, conn.Close())
	require.Equal(t, "client_gone", w.untilFinished(t, o, 4).Details["outcome"])
	require.Equal(t, http.StatusOK, left.get(path).StatusCode, "the place was given back")
}

// How many exports run at once has a bound for a fixtures.Person, and one for the organisation that people and keys share.
func TestConcurrentDownloadsAreLimited(t *testing.T) {
	t.Parallel()
	w, o, fork := long(t)
	path := downloadOf(o, fork)
	owner, admin := w.signedIn(t, o.owner), w.signedIn(t, o.admin)
	for range exports.MaxAtOnceOfActor {
		_, in := w.begin(t, owner, path)
		readSlowly(t, in)
	}
	more := owner.get(path)
	require.Equal(t, http.StatusServiceUnavailable, more.StatusCode)
	require.Equal(t, "5", more.Header.Get("Retry-After"))
	require.Contains(t, more.body, "Too many exports of yours: at most 3 run at once")
	get := w.beside(t, o)
	ofAPI := "/forks/" + fork + "/exports/csv?from=2024-01-01&to=2024-12-31"
	last, in := w.begin(t, admin, path)
	readSlowly(t, in)
	busy := get(ofAPI)
	require.Equal(t, http.StatusServiceUnavailable, busy.StatusCode, "people and keys share the places")
	require.Equal(t, "5", busy.Header.Get("Retry-After"))
	require.Len(t, w.exportsOf(t, o), exports.MaxAtOnceOfOrganisation, "what was not started is not recorded")
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
