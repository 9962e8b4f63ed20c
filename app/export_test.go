package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/exports"
	"dg/platform/limiter"
	"dg/platform/testkit/fixtures"
)

// exporting is a real dg that serves one large fork, and a way into its database.
type exporting struct {
	*child
	*door
	path  string // of the export of all plays
	plays int
	token string
	more  []string // further keys: one key may not have all exports of its organisation
}

func startExporting(t *testing.T, plays int) *exporting {
	t.Helper()
	db := fixtures.New(t)
	fork := db.Fork(fixtures.Fork{OrganisationID: db.Organisation(fixtures.Organisation{}).ID})
	db.Players(fork.OrganisationID, 500)
	db.Plays(fork, plays, fork.CreatedAt, time.Second)
	// As an import does: else the plan of an export is another, and its memory that of the first sealing beside it.
	db.Exec(`analyze`)
	status, out, failed := command(t, "segments", "rebuild", "--database-url", db.OwnerURL, "--migrate-database-url", db.OwnerURL)
	require.Zero(t, status, out+failed)
	e := &exporting{
		path: "/api/v1/forks/" + fork.ID + "/exports/csv?from=2026-01-01&to=2026-12-31", plays: plays,
		child: serveDatabase(t, db), door: doorTo(t, db.URL), token: db.Key(fork.OrganisationID).Token(),
	}
	for range 3 {
		e.more = append(e.more, db.Key(fork.OrganisationID).Token())
	}
	return e
}

// begin asks for the export and reads its beginning.
func (e *exporting) begin(t *testing.T, requestID string, headers ...string) (*http.Response, *bufio.Reader) {
	t.Helper()
	return e.beginAs(t, e.token, requestID, headers...)
}

func (e *exporting) beginAs(t *testing.T, token, requestID string, headers ...string) (*http.Response, *bufio.Reader) {
	t.Helper()
	response := ask(t, smallWindow(), e.url+e.path, token, append(headers, "X-Request-Id", requestID)...)
	require.Equal(t, http.StatusOK, response.StatusCode)
	body := bufio.NewReaderSize(response.Body, 4<<10)
	_, err := body.Peek(1)
	require.NoError(t, err)
	return response, body
}

// smallWindow is a client for whom little is on its way: what it does not read is not sent.
func smallWindow() *http.Client {
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if tcp, ok := conn.(*net.TCPConn); ok {
			err = tcp.SetReadBuffer(16 << 10)
		}
		return conn, err
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, DisableCompression: true, DisableKeepAlives: true, ReadBufferSize: 4 << 10}}
}

// rules.md, CSV, with the bars of `make bench` under DG_SOAK=1.
func TestExportsOfTheRealProgram(t *testing.T) {
	if !soak { // there it is timed
		t.Parallel()
	}
	e := startExporting(t, sized(60_000, 1_000_000))
	// One after the other: they look at what PostgreSQL works on.
	t.Run("is streamed whole in little memory", e.isStreamed)
	t.Run("breaks visibly", func(t *testing.T) { e.breaksVisibly(t, e.url) })
	t.Run("ends with its client while rows flow", e.endsWithItsClient)
	t.Run("ends with its client while the query waits", e.endsWhileTheQueryWaits)
	if soak { // in every run platform/httpserver and app/assembly test these
		t.Run("aborts for a reader that stalls", e.abortsForStalledReader)
		t.Run("serves a steady reader of 50 KB/s", e.servesASlowReader)
		t.Run("runs at most four times at once for an organisation", e.isBounded)
	}
	t.Run("breaks visibly when dg is killed", e.breaksWhenKilled) // the last: it is
}

const (
	exportMemory     = 64 << 20
	firstByteWithin  = 50 * time.Millisecond
	cancelledWithin  = 100 * time.Millisecond // while rows flow
	cancelledAnyhow  = 2 * time.Second
	stalledAtTheMost = 10 * time.Second
)

func (e *exporting) isStreamed(t *testing.T) {
	needsProc(t)
	for _, encoding := range []string{"identity", "gzip"} {
		_, err := io.ReadAll(ask(t, client(), e.url+"/api/v1/forks", e.token).Body)
		require.NoError(t, err)
		idle := e.memory("VmRSS")
		require.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", e.Process.Pid), []byte("5"), 0)) // VmHWM begins anew
		begun := time.Now()
		id := "streamed-" + encoding
		response, body := e.begin(t, id, "Accept-Encoding", encoding)
		first := time.Since(begun)
		rows := countRows(t, response, body)
		took := time.Since(begun)
		above := e.memory("VmHWM") - idle
		t.Logf("%d plays, %s: first byte after %s, all after %s, %.1f MB above idle (%.1f MB)",
			e.plays, encoding, first.Round(100*time.Microsecond), took.Round(time.Millisecond), float64(above)/(1<<20), float64(idle)/(1<<20))

		require.Equal(t, e.plays, rows)
		outcome, counted := e.finished(t, id)
		require.Equal(t, "completed", outcome)
		require.Equal(t, e.plays, counted)
		require.Positive(t, idle)
		require.Less(t, above, exportMemory)
		if soak {
			require.Less(t, first, firstByteWithin)
		}
	}
}

func (e *exporting) endsWithItsClient(t *testing.T) {
	response, body := e.begin(t, "client-leaves")
	_, err := io.CopyN(io.Discard, body, 256<<10) // rows flow
	require.NoError(t, err)
	until(t, 5*time.Second, "not as many exports run", func() bool { return e.running(t) == 1 })
	left := time.Now()
	require.NoError(t, response.Body.Close())
	until(t, cancelledAnyhow, "the query runs on for nobody", func() bool { return e.running(t) == 0 })
	took := time.Since(left)
	t.Logf("the query was cancelled %s after its client left", took.Round(time.Millisecond))
	if soak {
		require.Less(t, took, cancelledWithin)
	}
	outcome, rows := e.finished(t, "client-leaves")
	require.Equal(t, "client_gone", outcome)
	require.Less(t, rows, e.plays)
}

// The client leaves before PostgreSQL has given a row: nothing is written that could fail.
func (e *exporting) endsWhileTheQueryWaits(t *testing.T) {
	tx, err := e.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = tx.Exec(t.Context(), `lock table plays in access exclusive mode`)
	require.NoError(t, err)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(e.url, "http://"))
	require.NoError(t, err)
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", e.path, e.token)
	require.NoError(t, err)
	const waiting = `select count(*) from pg_stat_activity where datname = current_database() and application_name = 'dg exports' and state = 'active' and wait_event_type = 'Lock'`
	until(t, 5*time.Second, "the export does not wait", func() bool { return read[int](t, e.door, waiting) == 1 })
	left := time.Now()
	require.NoError(t, conn.Close())
	// Its lock would be waited for two seconds: less than that is the client's doing.
	until(t, cancelledAnyhow-300*time.Millisecond, "the query waits on for nobody", func() bool { return read[int](t, e.door, waiting) == 0 })
	t.Logf("the waiting query was cancelled %s after its client left", time.Since(left).Round(time.Millisecond))
}

func (e *exporting) abortsForStalledReader(t *testing.T) {
	_, body := e.begin(t, "client-stalls")
	_, err := io.CopyN(io.Discard, body, 64<<10)
	require.NoError(t, err)
	stalled := time.Now()
	until(t, 5*time.Second, "not as many exports run", func() bool { return e.running(t) == 1 })
	until(t, stalledAtTheMost, "a reader that stalls keeps its connection", func() bool { return e.running(t) == 0 })
	t.Logf("a stalled reader was let go after %s", time.Since(stalled).Round(time.Millisecond))
	outcome, rows := e.finished(t, "client-stalls")
	require.Equal(t, "client_gone", outcome)
	require.Less(t, rows, e.plays)
	_, err = io.Copy(io.Discard, body)
	require.Error(t, err, "what it reads later is visibly not the whole file")
}

func (e *exporting) servesASlowReader(t *testing.T) {
	const rate, size = 50_000, 10_000_000
	response, body := e.begin(t, "client-slow")
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for read := 0; read < size; read += rate / 10 {
		<-tick.C
		_, err := io.CopyN(io.Discard, body, rate/10)
		require.NoError(t, err, "after %d bytes", read)
	}
	require.NoError(t, response.Body.Close())
	e.finished(t, "client-slow")
}

// An organisation gets four of the pool's eight connections. A request beyond them waits, and is then answered with
// Retry-After.
func (e *exporting) isBounded(t *testing.T) {
	for i := range exports.MaxAtOnceOfOrganisation {
		_, body := e.beginAs(t, e.more[i%len(e.more)], fmt.Sprintf("bounded-%d", i))
		slowly(t, body)
	}
	until(t, 5*time.Second, "not as many exports run", func() bool { return e.running(t) == exports.MaxAtOnceOfOrganisation })
	begun := time.Now()
	response := ask(t, client(), e.url+e.path, e.token)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.Equal(t, "5", response.Header.Get("Retry-After"))
	require.Less(t, time.Since(begun), limiter.Wait+3*time.Second)
	code, detail := contractError(t, text)
	require.Equal(t, []string{"unavailable", "ERR_UNAVAILABLE"}, []string{code, detail})
	require.Equal(t, http.StatusOK, ask(t, client(), e.url+"/api/v1/forks", e.token).StatusCode, "the exports starve nobody else")
}

// slowly reads at 200 KB/s in the background until the body ends, and sends the error that ended it.
func slowly(t *testing.T, body io.Reader) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	ctx := t.Context()
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				ended <- ctx.Err()
				return
			case <-tick.C:
			}
			if _, err := io.CopyN(io.Discard, body, 10_000); err != nil {
				ended <- err
				return
			}
		}
	}()
	return ended
}
