package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/assembly"
	"dg/platform/testkit/fixtures"
)

// The report on a small group asks the database three times: for the key, for what is known before a play is read, and for plays
// and labels. The list of forks asks once. (The first request of a key and of each minute asks more.)
func TestRoundTripsOfARequest(t *testing.T) {
	t.Parallel()
	db := fixtures.New(t)
	fork := db.Fork(fixtures.Fork{OrganisationID: db.Organisation(fixtures.Organisation{}).ID})
	group := db.Group(fork.OrganisationID, db.Players(fork.OrganisationID, 7)...)
	db.Plays(fork, 70, time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), time.Minute)
	token := db.Key(fork.OrganisationID).Token()
	asked, base := serveCounted(t, db)
	c := plainClient(true)
	defer c.CloseIdleConnections()
	stats := "/" + fork.ID + "/stats?from=2026-03-01&to=2026-03-31&groupId=" + group
	for path, want := range map[string]int64{"": 1, stats: 3} {
		least := int64(100)
		for range 10 { // the program's own statements run beside
			before := asked.Load()
			response := ask(t, c, base+"/api/v1/forks"+path, token)
			body := readAll(t, response)
			require.Equal(t, http.StatusOK, response.StatusCode, body)
			require.NotContains(t, body, `"suppressed":true`)
			least = min(least, asked.Load()-before)
		}
		require.Equal(t, want, least, path)
	}
}

// serveCounted serves the database through a proxy that counts how often the program waits for an answer.
func serveCounted(t *testing.T, db *fixtures.Database) (asked *atomic.Int64, base string) {
	t.Helper()
	u, err := url.Parse(db.URL)
	require.NoError(t, err)
	q, dir := u.Query(), t.TempDir()
	server := filepath.Join(q.Get("host"), ".s.PGSQL."+portOf(q))
	front, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	require.NoError(t, err)
	asked = new(atomic.Int64)
	go acceptCounted(front, server, asked)
	t.Cleanup(func() { _ = front.Close() })
	q.Set("host", dir)
	q.Set("port", "5432")
	u.Host, u.RawQuery = "", q.Encode()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	base = "http://" + ln.Addr().String()
	p, err := assembly.New(t.Context(), assembly.Settings{ServingURL: u.String(), BaseURL: base, Grace: time.Second, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, ln, func() {}) }()
	t.Cleanup(func() { stop(); <-served; p.Close() })
	return asked, base
}

func acceptCounted(front net.Listener, server string, asked *atomic.Int64) {
	for {
		client, err := front.Accept()
		if err != nil {
			return
		}
		back, err := net.Dial("unix", server)
		if err != nil {
			_ = client.Close()
			continue
		}
		go func() { defer client.Close(); _, _ = io.Copy(client, back) }()
		go func() { defer back.Close(); countAsked(client, back, asked) }()
	}
}

// countAsked passes on what the client sends: it waits for an answer after a Sync and after a simple query.
func countAsked(client io.Reader, back io.Writer, asked *atomic.Int64) {
	from := bufio.NewReader(client)
	m, err := readMessage(from, 0)
	for ; err == nil; m, err = readMessage(from, 1) {
		if m[0] == 'S' || m[0] == 'Q' && !isPing(m) {
			asked.Add(1)
		}
		_, err = back.Write(m)
		if err != nil {
			return
		}
	}
}
