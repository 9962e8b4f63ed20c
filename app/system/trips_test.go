package system

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/platform/testkit/fixtures"
)

// The report on a small group takes four round trips to the database: for the key, for the fork, for
// the metadata, and for plays and labels. The list of forks takes two. (The first request of a key and
// of each minute takes more.)
func TestRoundTripsOfARequest(t *testing.T) {
	t.Parallel()
	db := fixtures.New(t)
	fork := db.Fork(fixtures.Fork{OrganisationID: db.Organisation(fixtures.Organisation{}).ID})
	group := db.Group(fork.OrganisationID, db.Players(fork.OrganisationID, 7)...)
	db.Plays(fork, 70, time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), time.Minute)
	token := db.Key(fork.OrganisationID).Token()
	p := &trips{pools: []string{"dg requests", "dg snapshots"}}
	base := apptest.Assemble(t, db, assembly.Settings{
		ServingURL: apptest.SocketProxy(t, db.DirectURL, p.pass),
	}).Base
	c := apptest.PlainClient(true)
	defer c.CloseIdleConnections()
	stats := "/" + fork.ID + "/stats?from=2026-03-01&to=2026-03-31&groupId=" + group
	for path, want := range map[string]int{"": 2, stats: 4} {
		least := 100
		for range 10 { // the program's own statements run beside
			p.take()
			response := apptest.Ask(t, c, base+"/api/v1/forks"+path, token)
			body := apptest.ReadAll(t, response)
			require.Equal(t, http.StatusOK, response.StatusCode, body)
			require.NotContains(t, body, `"suppressed":true`)
			least = min(least, len(p.take()))
		}
		require.Equal(t, want, least, path)
	}
}

// trips is a proxy in front of PostgreSQL that records the round trips of its clients.
type trips struct {
	pools []string // whose connections count

	mu    sync.Mutex
	noted []string
}

// pass forwards a connection, and records the tags of the statements of each round trip.
func (p *trips) pass(client, server net.Conn) {
	defer client.Close()
	defer server.Close()
	go func() {
		_, _ = io.Copy(client, server)
		_ = client.Close()
	}()
	from := bufio.NewReader(client)
	prepared := map[string]string{}
	first, err := apptest.ReadMessage(from, 0)
	counts := slices.ContainsFunc(p.pools, func(name string) bool {
		return strings.Contains(string(first), name+"\x00")
	})
	var now []string
	prepares := false // a statement by a name, which a connection does once
	for m := first; err == nil; m, err = apptest.ReadMessage(from, 1) {
		switch text := string(m[5:]); m[0] {
		case 'P':
			name, sql, _ := strings.Cut(text, "\x00")
			prepared[name] = apptest.TagOf(sql)
			prepares = name != ""
		case 'B':
			now = append(now, prepared[strings.Split(text, "\x00")[1]])
		case 'Q':
			now = append(now, apptest.TagOf(text))
		}
		if ends := m[0] == 'S' || m[0] == 'Q'; ends {
			if counts && (len(now) > 0 || !prepares) {
				p.note(strings.Join(now, ", "))
			}
			now = nil
			prepares = false
		}
		if _, err = server.Write(m); err != nil {
			return
		}
	}
}

// note records a round trip, unless it is a periodic one.
func (p *trips) note(statements string) {
	if slices.Contains([]string{"-- ping", "apikeys.touch"}, statements) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noted = append(p.noted, statements)
}

// take returns the round trips since it was last called.
func (p *trips) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	noted := p.noted
	p.noted = nil
	return noted
}
