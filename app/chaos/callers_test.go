package chaos

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// callers are clients that call everything, and judge each answer: it is right to the byte, or a
// visible failure.
type callers struct {
	o       *chaosRun
	base    string
	quiet   *calledTenant
	asked   atomic.Int64
	answers apptest.Counter // by call and outcome

	mu    sync.Mutex
	wrong []string

	end chan struct{}
	all sync.WaitGroup
}

// caller is one client. Those of an organisation share its keys.
type caller struct {
	*callers
	*calledTenant
	http *http.Client
}

// calledTenant is an organisation that callers call for.
type calledTenant struct {
	fork fixtures.Fork
	slug string
	// of those who sign in, in turn: 20 sign-ins of one in a minute have an entry each
	emails []string
	cookie string
	group  string
	keys   []string // used in turn: none is over its rate
	narrow string   // without the scope of forks
	spare  chan string
	used   atomic.Int64
	known  map[string][]byte // the right answers by path
	screen string
}

// outcome of a call: right, or how it failed visibly. Everything else is wrong.
type outcome string

const (
	gotRight  outcome = "right"
	got503    outcome = "503"
	gotBroken outcome = "broken" // the connection or the transfer
	got429    outcome = "429"
)

// call is one thing that a caller does.
type call struct {
	name string
	do   func(c *caller, id string) outcome
}

var calls = []call{
	{"list", func(c *caller, id string) outcome { return c.reads(id, "/api/v1/forks", "") }},
	{
		"fork", func(c *caller, id string) outcome {
			return c.reads(id, "/api/v1/forks/"+c.fork.ID, "")
		},
	},
	{
		"statistics", func(c *caller, id string) outcome {
			return c.reads(id, c.path("/stats", ""), "")
		},
	},
	{
		"group", func(c *caller, id string) outcome {
			return c.reads(id, c.path("/stats", "&groupId="+c.group), "")
		},
	},
	{
		"csv", func(c *caller, id string) outcome {
			return c.reads(id, c.path("/exports/csv", ""), "export.started")
		},
	},
	{
		"dashboard", func(c *caller, id string) outcome {
			return c.reads(id, c.screen+calledPeriod, "")
		},
	},
	{"download", func(c *caller, id string) outcome {
		return c.reads(id, c.screen+"/plays.csv"+calledPeriod, "export.started")
	}},
	{"sign-in", (*caller).signsIn},
	{"revocation", (*caller).revokes},
	{"refusal", (*caller).isRefused},
}

const calledPlays = 1500

// calledPeriod holds all plays of a called organisation.
const calledPeriod = "?from=2026-01-01&to=2026-03-31"

func (y *calledTenant) path(end, more string) string {
	return "/api/v1/forks/" + y.fork.ID + end + calledPeriod + more
}

// newCalledTenant stores an organisation and learns the right answers while all is quiet.
func newCalledTenant(
	t *testing.T, db *fixtures.Database, base string, keys, spare int,
) *calledTenant {
	t.Helper()
	organisation := db.Organisation(fixtures.Organisation{})
	y := &calledTenant{
		slug:   organisation.Slug,
		fork:   db.Fork(fixtures.Fork{OrganisationID: organisation.ID}),
		narrow: db.Key(organisation.ID, "reports:read").Token(),
		spare:  make(chan string, spare),
		known:  map[string][]byte{},
	}
	players := db.Players(organisation.ID, 40)
	y.group = db.Group(organisation.ID, players[:20]...)
	db.Plays(y.fork, calledPlays, y.fork.CreatedAt, time.Hour)
	for range keys {
		y.keys = append(y.keys, db.Key(organisation.ID).Token())
	}
	for range 20 {
		y.emails = append(y.emails, db.Member(organisation.ID, "owner").Email)
	}
	for range spare {
		y.spare <- db.Key(organisation.ID).Token()
	}
	y.screen = "/o/" + y.slug + "/reports/" + y.fork.ID
	reader := db.Member(organisation.ID, "owner")
	y.cookie = apptest.SessionOf(t, base, reader.Email)
	for _, path := range []string{"/api/v1/forks", "/api/v1/forks/" + y.fork.ID,
		y.path("/stats", ""), y.path("/stats", "&groupId="+y.group), y.path("/exports/csv", ""),
		y.screen + calledPeriod, y.screen + "/plays.csv" + calledPeriod} {
		y.known[path] = nil
		for range 2 {
			response := apptest.Ask(t, apptest.NewClient(), base+path, "", y.credential(path)...)
			body := []byte(apptest.ReadAll(t, response))
			require.Equal(t, http.StatusOK, response.StatusCode, "%s: %s", path, body)
			if y.known[path] != nil {
				require.Equal(t, string(y.known[path]), string(body), "a quiet answer changes: %s",
					path)
			}
			y.known[path] = body
		}
	}
	return y
}

// credential is the header of the key or of the session.
func (y *calledTenant) credential(path string) []string {
	if strings.HasPrefix(path, "/o/") {
		return []string{"Cookie", y.cookie, "Sec-Fetch-Site", "same-origin"}
	}
	return []string{"Authorization", "Bearer " + y.keys[int(y.used.Add(1))%len(y.keys)]}
}

// callEverything starts the clients, in turn of all organisations but the first, which is for
// untilGood.
func callEverything(
	t *testing.T, o *chaosRun, base string, tenants []*calledTenant, clients int,
) *callers {
	t.Helper()
	a := &callers{o: o, base: base, quiet: tenants[0], end: make(chan struct{})}
	t.Cleanup(a.stop)
	for n := range clients {
		c := &caller{a, tenants[1+n%(len(tenants)-1)], callingClient("127.0.0.1")}
		a.all.Go(func() {
			defer c.http.CloseIdleConnections()
			for {
				c.call(calls[rand.IntN(len(calls))])
				select {
				case <-a.end:
					return
				case <-time.After(time.Duration(rand.IntN(200)) * time.Millisecond):
				}
			}
		})
	}
	return a
}

// callingClient follows no redirect and keeps its connection from the address.
func callingClient(address string) *http.Client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{
		Timeout:   45 * time.Second,
		Transport: &http.Transport{DialContext: dialer.DialContext, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// call does one thing under an id of its own.
func (c *caller) call(what call) outcome {
	got := what.do(c, fmt.Sprintf("%s-%d", what.name, 10_000_000+c.asked.Add(1)))
	c.answers.Add(what.name + " " + string(got))
	return got
}

func (a *callers) isWrong(format string, args ...any) outcome {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wrong = append(a.wrong, fmt.Sprintf(format, args...))
	return "wrong"
}

// untilGood waits until every call of an organisation that nobody else calls for, from an address
// of its own, is answered right, and returns how long that took.
func (a *callers) untilGood(t *testing.T) time.Duration {
	t.Helper()
	begun := time.Now()
	c := &caller{a, a.quiet, callingClient("127.0.0.21")}
	defer c.http.CloseIdleConnections()
	for _, what := range calls {
		apptest.Until(t, time.Minute, "there is no right answer: "+what.name, func() bool {
			return c.call(what) == gotRight
		})
	}
	return time.Since(begun).Round(10 * time.Millisecond)
}

func (a *callers) stop() {
	select {
	case <-a.end:
	default:
		close(a.end)
	}
	a.all.Wait()
}

// verdict ends the clients and fails if any answer was wrong.
func (a *callers) verdict(t *testing.T) {
	t.Helper()
	a.stop()
	t.Logf("%d calls: %v", a.asked.Load(), &a.answers)
	for _, c := range a.o.instances {
		for line := range strings.Lines(c.Log.String()) {
			if strings.Contains(line, "status=500") && strings.Contains(line, "error=") {
				t.Log(line)
			}
		}
	}
	require.Empty(t, strings.Join(a.wrong[:min(10, len(a.wrong))], "\n"))
}
