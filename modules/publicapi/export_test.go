package publicapi_test

import (
	"bufio"
	"compress/gzip"
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

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
)

// many adds n plays to a fork by SQL: more than the buffers of a connection hold.
func (w *world) many(t *testing.T, h *history, n int) {
	t.Helper()
	w.exec(t, `insert into plays (id, org_id, fork_id, player, started_at, answers)
		select gen_random_uuid(), f.org_id, f.id, p.ordinal,
		  timestamptz '2024-05-01' + i * interval '1 s', decode(repeat('0302', 50), 'hex')
		  from generate_series(1, $2) i, forks f, lateral (select min(ordinal) as ordinal
		    from players where org_id = f.org_id) p
		 where f.id = $1`, h.forks[0], n)
}

// untilFinished waits for the entry that ends an export.
func (w *world) untilFinished(t *testing.T, h *history) audit.Entry {
	t.Helper()
	var finished audit.Entry
	require.Eventually(t, func() bool {
		entries := w.entries(t, h.id)
		if len(entries) == 0 || entries[0].Action != audit.ExportFinished {
			return false
		}
		finished = entries[0]
		return true
	}, 15*time.Second, 10*time.Millisecond)
	return finished
}

const wholeYear = "/exports/csv?from=2024-01-01&to=2024-12-31"

// rules.md, CSV: the file, its headers, and an entry for its start and its end.
func TestExportIsRecorded(t *testing.T) {
	t.Parallel()
	w := start(t)
	h := newHistory(rand.New(rand.NewPCG(30, 30)), 1, 6, 3)
	h.playRandomly(rand.New(rand.NewPCG(30, 31)), 20, day("2024-05-01"), day("2024-05-31"))
	w.load(t, h)
	w.exec(t, `update forks set slug = E'Größe "1"\n/..' where id = $1`, h.forks[0])
	token := w.key(t, h.id)
	got := w.get(t, "/api/v1/forks/"+h.forks[0]+wholeYear, token, "User-Agent", "Power Query",
		"X-Request-Id", "my-request-1")
	require.Equal(t, http.StatusOK, got.StatusCode)
	require.Equal(t, "text/csv; charset=utf-8", got.Header.Get("Content-Type"))
	require.Equal(t, `attachment; filename="Grosse-1_2024-01-01_2024-12-31.csv"`,
		got.Header.Get("Content-Disposition"))
	require.Equal(t, "no-store, no-transform", got.Header.Get("Cache-Control"))
	require.Equal(t, 21, strings.Count(got.body, "\n"))

	finished := w.untilFinished(t, h)
	entries := w.entries(t, h.id)
	require.Len(t, entries, 2)
	started := entries[1]
	require.Equal(t, audit.ExportStarted, started.Action)
	id := started.Details["exportId"]
	require.NotEmpty(t, id)
	require.Equal(t, map[string]any{
		"from":          "2024-01-01",
		"to":            "2024-12-31",
		"exportId":      id,
		"reportingMode": "pseudonymous",
	}, started.Details)
	require.Equal(t, map[string]any{
		"from":     "2024-01-01",
		"to":       "2024-12-31",
		"exportId": id,
		"rows":     20.0,
		"outcome":  "completed",
	}, finished.Details)
	for _, e := range entries {
		require.Equal(t, audit.Target{Kind: "fork", ID: h.forks[0]}, e.Target)
		require.Equal(t, audit.Actor{Kind: audit.Key, ID: token.ID, Name: "BI"}, e.Actor)
		require.Equal(t, audit.Request{
			Method:    "GET",
			Path:      "/api/v1/forks/" + h.forks[0] + "/exports/csv",
			Address:   "127.0.0.1",
			UserAgent: "Power Query",
			ID:        "my-request-1",
		}, e.Request)
	}

	group := w.get(t, "/api/v1/forks/"+h.forks[0]+wholeYear+"&groupId="+h.groups[0].id, token)
	require.Equal(t, "k-anonymity", group.Header.Get("X-DG-Report-Suppressed"))
	require.Equal(t, 1, strings.Count(group.body, "\n"))
	require.Eventually(t, func() bool {
		return len(w.entries(t, h.id)) == 4
	}, 10*time.Second, 10*time.Millisecond, "a suppressed export is one too")
	require.Equal(t, 0.0, w.entries(t, h.id)[0].Details["rows"])
}

// rules.md, CSV: if the start of an export cannot be recorded, the answer is 503 and no data.
func TestExportThatCannotBeRecordedSendsNothing(t *testing.T) {
	t.Parallel()
	w := start(t)
	h := newHistory(rand.New(rand.NewPCG(31, 31)), 1, 6)
	w.load(t, h)
	w.many(t, h, 1000)
	token := w.key(t, h.id)
	w.exec(t, `revoke insert on audit_entries from dg_app`)
	got := w.get(t, "/api/v1/forks/"+h.forks[0]+wholeYear, token)
	require.Equal(t, http.StatusServiceUnavailable, got.StatusCode)
	require.Contains(t, got.body, `"details":{"code":"ERR_UNAVAILABLE"}`)
	require.NotContains(t, got.body, "playId")
	require.NotEmpty(t, got.Header.Get("Retry-After"))
	require.Equal(t, http.StatusServiceUnavailable, w.get(t, "/healthz", token).StatusCode,
		"a refusal that cannot be recorded")
}

// rules.md, CSV: export.finished follows. The last chunk of a whole file does not wait for it: on a
// slow disk the entry took as long as the write deadline, and whole files lost their end.
func TestWholeExportDoesNotWaitForItsEnd(t *testing.T) {
	t.Parallel()
	w := start(t)
	h := newHistory(rand.New(rand.NewPCG(36, 36)), 1, 6)
	w.load(t, h)
	w.many(t, h, 1000)
	token := w.key(t, h.id)
	w.exec(t,
		`create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(6); return new; end $$`)
	w.exec(t,
		`create trigger slow before insert on audit_entries for each row
			when (new.action = 'export.finished') execute function slow()`)
	begun := time.Now()
	got := w.get(t, "/api/v1/forks/"+h.forks[0]+wholeYear, token)
	require.Equal(t, http.StatusOK, got.StatusCode)
	require.Greater(t, strings.Count(got.body, "\n"), 1000)
	require.Less(t, time.Since(begun), 4*time.Second)
	require.Equal(t, "completed", w.untilFinished(t, h).Details["outcome"])
}

// rules.md, Headers: the CSV is compressed inside its own stream, when asked.
func TestExportCompressed(t *testing.T) {
	t.Parallel()
	w := start(t)
	h := newHistory(rand.New(rand.NewPCG(32, 32)), 1, 6)
	w.load(t, h)
	w.many(t, h, 20_000)
	token := w.key(t, h.id)
	plain := w.get(t, "/api/v1/forks/"+h.forks[0]+wholeYear, token)
	packed := w.get(t, "/api/v1/forks/"+h.forks[0]+wholeYear, token, "Accept-Encoding", "gzip")
	require.Equal(t, "gzip", packed.Header.Get("Content-Encoding"))
	require.Less(t, len(packed.body), len(plain.body)/2)
	z, err := gzip.NewReader(strings.NewReader(packed.body))
	require.NoError(t, err)
	unpacked, err := io.ReadAll(z)
	require.NoError(t, err)
	require.Equal(t, plain.body, string(unpacked))
}

// rules.md, CSV: over HTTP/1.0, where nobody could notice a broken transfer, the export answers
// 505.
func TestExportOverHTTP10(t *testing.T) {
	t.Parallel()
	w := start(t)
	h := newHistory(rand.New(rand.NewPCG(33, 33)), 1, 6)
	w.load(t, h)
	conn := w.begin(t,
		"GET /api/v1/forks/"+h.forks[0]+wholeYear+" HTTP/1.0\r\nAuthorization: Bearer "+
			w.key(t, h.id).String()+"\r\n\r\n")
	status, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, status, " 505 ")
	require.Empty(t, w.entries(t, h.id))
}

// begin sends a request over a connection with a small window.
func (w *world) begin(t *testing.T, request string) net.Conn {
	t.Helper()
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(16<<10))
	_, err = conn.Write([]byte(request))
	require.NoError(t, err)
	return conn
}

// rules.md, CSV: a running export is aborted within two seconds of the revocation, expiry or pause
// of its key, and the client notices. A client that leaves ends it too.
func TestRunningExportIsAbortedWhenTheKeyStops(t *testing.T) {
	t.Parallel()
	w := start(t)
	for outcome, end := range map[string]func(h *history, token apikeys.Token, conn net.Conn){
		"key_unusable": func(h *history, token apikeys.Token, _ net.Conn) {
			require.NoError(t, w.keys.Revoke(t.Context(), owner(h.id), token.ID, audit.Request{}))
		},
		"key_unusable ": func(_ *history, token apikeys.Token, _ net.Conn) {
			w.exec(t, `update api_keys set expires_at = clock_timestamp() where id = $1`, token.ID)
		},
		"key_unusable  ": func(h *history, _ apikeys.Token, _ net.Conn) {
			w.exec(t, `update organisations set plan = 'team' where id = $1`, h.id)
		},
		"client_gone": func(_ *history, _ apikeys.Token, conn net.Conn) {
			require.NoError(t, conn.Close())
		},
	} {
		t.Run(outcome, func(t *testing.T) {
			h := newHistory(rand.New(rand.NewPCG(34, uint64(len(outcome)))), 1, 6)
			w.load(t, h)
			w.many(t, h, 60_000)
			token := w.key(t, h.id)
			conn := w.begin(t,
				fmt.Sprintf(
					"GET /api/v1/forks/%s%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
					h.forks[0], wholeYear, token,
				))
			in := bufio.NewReader(conn)
			status, err := in.ReadString('\n')
			require.NoError(t, err)
			require.Contains(t, status, " 200 ")
			begun := time.Now()
			end(h, token, conn)
			finished := w.untilFinished(t, h)
			require.Equal(t, strings.TrimSpace(outcome), finished.Details["outcome"])
			require.Less(t, finished.Details["rows"], 60_000.0)
			require.Less(t, time.Since(begun), 3*time.Second)
			if outcome != "client_gone" {
				_, err := io.ReadAll(in)
				require.ErrorIs(t, err, syscall.ECONNRESET,
					"the transfer does not end as a whole one does")
			}
		})
	}
}

// Concurrent exports are limited for a key and for an organisation. One over the limit gets 503
// with Retry-After, and is not recorded. Another organisation has its own limit.
func TestConcurrentExportsAreLimited(t *testing.T) {
	t.Parallel()
	w := start(t)
	random := rand.New(rand.NewPCG(35, 35))
	h := newHistory(random, 1, 6)
	another := newHistory(random, 1, 6)
	w.load(t, h, another)
	w.many(t, h, 60_000)
	path := "/api/v1/forks/" + h.forks[0] + wholeYear
	var running []net.Conn
	begin := func(token apikeys.Token) {
		conn := w.begin(t,
			fmt.Sprintf("GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", path,
				token))
		in := bufio.NewReader(conn)
		status, err := in.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, status, " 200 ")
		readSlowly(t, in)
		running = append(running, conn)
	}
	refused := func(token apikeys.Token, name string) {
		got := w.get(t, path, token)
		require.Equal(t, http.StatusServiceUnavailable, got.StatusCode)
		require.Equal(t, "5", got.Header.Get("Retry-After"))
		require.Equal(t, []string{name}, errorNames(got.StatusCode, []byte(got.body)), got.body)
	}
	token := w.key(t, h.id)
	other := w.key(t, h.id)
	for range exports.MaxAtOnceOfActor {
		begin(token)
	}
	refused(token, "TooManyExportsOfKey")
	for range exports.MaxAtOnceOfOrganisation - exports.MaxAtOnceOfActor {
		begin(other)
	}
	refused(other, "TooManyExportsOfOrganisation")
	require.Len(t, w.entries(t, h.id), len(running), "what was not started is not recorded")
	require.Equal(t, http.StatusOK,
		w.get(t, "/api/v1/forks/"+another.forks[0]+wholeYear, w.key(t, another.id)).StatusCode)
	for _, conn := range running {
		require.NoError(t, conn.Close())
	}
	require.Eventually(t, func() bool {
		return len(w.entries(t, h.id)) == 2*len(running)
	}, 15*time.Second, 10*time.Millisecond, "each has ended")
	require.Equal(t, http.StatusOK, w.get(t, path, token).StatusCode)
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
