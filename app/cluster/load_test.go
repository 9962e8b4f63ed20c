package cluster

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// load runs clients that compare each report with the right one. Most reports are of a fork that
// does not change, and must be equal to the byte. Others are of a fork to which plays are added,
// and must have at least the plays that were stored before the request.
type load struct {
	x      *clustered
	want   map[string][]byte // by path
	paths  []string
	plays  *apptest.Recording // number of plays of the growing fork
	grows  fixtures.Fork
	stored int

	mu      sync.Mutex
	answers []loadAnswer
	wrong   []string
	end     chan struct{}
	all     sync.WaitGroup
}

// loadAnswer is what a client got; status 0 is a connection or transfer that failed visibly.
type loadAnswer struct {
	status       int
	begun, ended time.Time
}

// The load of clients: each asks, waits so long, and asks again.
const (
	loadClients = 6
	loadPause   = 20 * time.Millisecond
)

// startLoad computes what the answers must be, on the quiet cluster, and starts the clients.
func (x *clustered) startLoad(t *testing.T) *load {
	t.Helper()
	x.moreKeys(400)
	l := &load{x: x, want: map[string][]byte{}, end: make(chan struct{})}
	for month := range 4 {
		from := time.Date(2026, time.Month(1+month), 3, 0, 0, 0, 0, time.UTC)
		query := fmt.Sprintf("?from=%s&to=%s", from.Format(time.DateOnly),
			from.AddDate(0, 0, 20).Format(time.DateOnly))
		for _, path := range []string{"/stats", "/exports/csv"} {
			l.paths = append(l.paths, "/api/v1/forks/"+x.fork.ID+path+query)
		}
	}
	for _, path := range l.paths {
		status, body := apptest.FetchFrom(http.DefaultClient, x.Instances[0].URL+path, x.nextKey())
		require.Equal(t, http.StatusOK, status, "%s", body)
		l.want[path] = body
	}
	l.grows = x.db.Fork(fixtures.Fork{OrganisationID: x.fork.OrganisationID})
	l.plays = &apptest.Recording{Replicas: true}
	l.add(t)
	for n := range loadClients {
		l.all.Go(func() { l.client(n) })
	}
	t.Cleanup(l.stop)
	return l
}

// playsOf is the number of plays of statistics.
func playsOf(status int, body []byte) string {
	_, rest, found := bytes.Cut(body, []byte(`"plays":`))
	if status != http.StatusOK || !found {
		return ""
	}
	return string(rest[:bytes.IndexByte(rest, ',')])
}

// add stores one more play of the growing fork.
func (l *load) add(t *testing.T) {
	t.Helper()
	l.stored++
	l.plays.Set(strconv.Itoa(l.stored), func() {
		l.x.db.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
			select $1, $2, $3, ordinal, $4, '' from players where org_id = $2 limit 1`,
			uuid.NewString(), l.grows.OrganisationID, l.grows.ID, l.grows.CreatedAt)
	})
}

func (l *load) stop() {
	select {
	case <-l.end:
	default:
		close(l.end)
	}
	l.all.Wait()
}

func (l *load) client(n int) {
	c := apptest.KeepingClient(15 * time.Second)
	defer c.CloseIdleConnections()
	for i := n; ; i++ {
		select {
		case <-l.end:
			return
		case <-time.After(loadPause):
		}
		l.ask(c, l.x.entrance(i))
	}
}

// ask sends one request.
func (l *load) ask(c *http.Client, from string) {
	path := "/api/v1/forks/" + l.grows.ID + "/stats" + apptest.SomeDays
	if n := rand.IntN(len(l.paths) + 3); n < len(l.paths) {
		path = l.paths[n]
	}
	begun := time.Now()
	var status int
	var body []byte
	get := func() string {
		status, body = apptest.FetchFrom(c, from+path, l.x.nextKey())
		return playsOf(status, body)
	}
	if l.want[path] == nil {
		l.plays.Read(from, get)
	} else {
		get()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers = append(l.answers, loadAnswer{status, begun, time.Now()})
	if status == http.StatusOK && l.want[path] != nil && !bytes.Equal(body, l.want[path]) {
		l.wrong = append(l.wrong,
			fmt.Sprintf("%s%s: %d bytes and not %d", from, path, len(body), len(l.want[path])))
	}
}

// during summarises the answers of an interval.
type during struct {
	asked    apptest.Counter
	lastBad  time.Duration // how long after the beginning the last answer that was not 200 ended
	requests int
}

// between summarises the answers to requests of an interval.
func (l *load) between(from, to time.Time) *during {
	d := new(during)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.answers {
		if a.begun.Before(from) || a.begun.After(to) {
			continue
		}
		d.requests++
		d.asked.Add(strconv.Itoa(a.status))
		if a.status != http.StatusOK {
			d.lastBad = max(d.lastBad, a.ended.Sub(from))
		}
	}
	return d
}

// watch adds plays during the load for a time, and summarises the answers.
func (l *load) watch(t *testing.T, span time.Duration) *during {
	t.Helper()
	from := time.Now()
	for tick := time.NewTicker(50 * time.Millisecond); time.Since(from) < span; <-tick.C {
		l.add(t)
	}
	return l.between(from, time.Now())
}

// check fails if any answer was wrong, older than its request, or 500.
func (l *load) check(t *testing.T) {
	t.Helper()
	l.stop()
	stale := l.plays.Faults()
	statuses := apptest.Counter{}
	for _, a := range l.answers {
		statuses.Add(strconv.Itoa(a.status))
	}
	t.Logf("in all %d requests %v, %d plays added: %d wrong, %d stale", len(l.answers), &statuses,
		l.stored, len(l.wrong), len(stale))
	if statuses.Of("500") > 0 {
		l.x.logErrors(t)
	}
	require.Empty(t, strings.Join(l.wrong[:min(5, len(l.wrong))], "\n"))
	require.Empty(t, stale[:min(5, len(stale))])
	require.Zero(t, statuses.Of("500"))
}
