package chaos

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// caller is a customer: it calls everything for its organisation. Each answer must be right to the
// byte, or a visible failure.
type caller struct {
	o        *chaosRun
	base     string
	http     *http.Client
	slug     string
	emails   []string // used in turn
	cookie   string
	keys     []string // used in turn, below the rate limit of each
	narrow   []string // keys without forks:read, used in turn
	spare    chan string
	asked    atomic.Int64
	signedIn atomic.Int64
	known    map[string][]byte // the right answers by path
	failed   apptest.Counter   // by call and outcome
	answers  *apptest.Counter  // by outcome, since during began

	mu    sync.Mutex
	wrong []string
}

// outcome of a call: right, or how it failed visibly. Everything else is wrong.
type outcome string

const (
	gotRight   outcome = "right"
	got503     outcome = "503"
	gotBroken  outcome = "broken" // the connection or the transfer
	gotTimeout outcome = "timeout"
	got429     outcome = "429"
)

const calledPeriod = "?from=2026-01-01&to=2026-03-31"

// calls are the calls of a caller: a path to read, or a function.
var calls = []struct {
	name, path, entry string
	do                func(c *caller, id string) outcome
}{
	{name: "list", path: "/api/v1/forks"},
	{name: "fork", path: "/api/v1/forks/FORK"},
	{name: "statistics", path: "/api/v1/forks/FORK/stats" + calledPeriod},
	{name: "group", path: "/api/v1/forks/FORK/stats" + calledPeriod + "&groupId=GROUP"},
	{name: "csv", path: "/api/v1/forks/FORK/exports/csv" + calledPeriod, entry: "export.started"},
	{name: "dashboard", path: "/o/SLUG/reports/FORK" + calledPeriod},
	{
		name:  "download",
		path:  "/o/SLUG/reports/FORK/plays.csv" + calledPeriod,
		entry: "export.started",
	},
	{name: "sign-in", do: (*caller).signsIn},
	{name: "revocation", do: (*caller).revokes},
	{name: "refusal", do: (*caller).isRefused},
}

// newCaller stores an organisation and records the right answers before the chaos begins.
func newCaller(t *testing.T, db *testkit.World, base string) *caller {
	t.Helper()
	organisation := db.Organisation(testkit.Organisation{})
	fork := db.Fork(testkit.Fork{OrganisationID: organisation.ID})
	c := &caller{
		o:       &chaosRun{entries: map[[2]string]int{}},
		base:    base,
		http:    apptest.PlainClient(true),
		slug:    organisation.Slug,
		spare:   make(chan string, apptest.Sized(10, 60, 300)),
		known:   map[string][]byte{},
		answers: new(apptest.Counter),
	}
	c.http.Timeout = 20 * time.Second
	group := db.Group(organisation.ID, db.Players(organisation.ID, 40)[:20]...)
	db.Plays(fork, 1500, fork.CreatedAt, time.Hour)
	for range apptest.Sized(20, 60, 60) {
		c.keys = append(c.keys, db.Key(organisation.ID).Token())
	}
	for range 4 {
		c.narrow = append(c.narrow, db.Key(organisation.ID, "reports:read").Token())
	}
	for range 20 {
		c.emails = append(c.emails, db.Member(organisation.ID, "owner").Email)
	}
	for range cap(c.spare) {
		c.spare <- db.Key(organisation.ID).Token()
	}
	c.cookie = apptest.SessionOf(t, base, db.Member(organisation.ID, "owner").Email)
	names := strings.NewReplacer("FORK", fork.ID, "GROUP", group, "SLUG", c.slug)
	for _, call := range calls {
		if call.path != "" {
			path := names.Replace(call.path)
			response := apptest.Ask(t, c.http, base+path, "", c.credential(path)...)
			c.known[call.path] = []byte(path + "\n" + apptest.ReadAll(t, response))
			require.Equal(t, http.StatusOK, response.StatusCode, path)
		}
	}
	return c
}

// call does the nth of the calls with a new request id.
func (c *caller) call(n int) outcome {
	call := calls[n]
	id := fmt.Sprintf("%s-%s-%d", call.name, c.slug, 10_000_000+c.asked.Add(1))
	var got outcome
	if call.do != nil {
		got = call.do(c, id)
	} else {
		got = c.reads(id, call.path, call.entry)
	}
	if got != gotRight {
		c.failed.Add(call.name + " " + string(got))
	}
	c.answers.Add(string(got))
	return got
}

// reads requests a path whose right answer is known.
func (c *caller) reads(id, path, entry string) outcome {
	address, right, _ := bytes.Cut(c.known[path], []byte("\n"))
	got, body := c.send(id, string(address), http.StatusOK, entry, nil,
		c.credential(string(address))...)
	if got == gotRight && !bytes.Equal(body, right) {
		return c.isWrong("%s: 200 with %d bytes, not %d", id, len(body), len(right))
	}
	return got
}

// credential is the header of the key or of the session.
func (c *caller) credential(path string) []string {
	if strings.HasPrefix(path, "/o/") {
		return []string{"Cookie", c.cookie, "Sec-Fetch-Site", "same-origin"}
	}
	return []string{"Authorization", "Bearer " + c.key()}
}

func (c *caller) key() string { return c.keys[int(c.asked.Add(1))%len(c.keys)] }

func (c *caller) signsIn(id string) outcome {
	email := c.emails[int(c.signedIn.Add(1))%len(c.emails)]
	got, _ := c.send(id, "/sign-in", http.StatusSeeOther, "",
		url.Values{"email": {email}, "password": {testkit.Password}})
	return got
}

// revokes revokes a key. Uses after the answer are refused.
func (c *caller) revokes(id string) outcome {
	var token string
	select {
	case token = <-c.spare:
	default:
		return gotRight // all are revoked
	}
	path := "/o/" + c.slug + "/settings/api-keys/" + strings.Split(token, "_")[2] + "/revoke"
	got, _ := c.send(id, path, http.StatusSeeOther, "api_key.revoked", url.Values{}, "Cookie",
		c.cookie)
	if got == gotRight {
		c.send(id+"-used", "/api/v1/forks", http.StatusUnauthorized, "api_key.refused", nil,
			"Authorization", "Bearer "+token)
	}
	return got
}

// isRefused uses a key without the scope, or with a wrong secret.
func (c *caller) isRefused(id string) outcome {
	token := c.narrow[int(c.asked.Add(1))%len(c.narrow)]
	status := http.StatusForbidden
	if rand.IntN(2) == 0 {
		key := c.key()
		token = key[:len(key)-8] + "00000000"
		status = http.StatusUnauthorized
	}
	got, _ := c.send(id, "/api/v1/forks", status, "api_key.refused", nil, "Authorization",
		"Bearer "+token)
	return got
}

// send sends a request. The status must be that of a right answer, whose audit entry is expected,
// or a visible failure.
func (c *caller) send(
	id, path string, status int, entry string, form url.Values, headers ...string,
) (outcome, []byte) {
	request := newRequest(c.base+path, form, append(headers, "X-Request-Id", id))
	if form == nil {
		request.Body = io.NopCloser(strings.NewReader("")) // cannot be rewound, so net/http sends the request once
	}
	request.Close = rand.IntN(4) == 0 // some connections are new
	response, err := c.http.Do(request)
	if os.IsTimeout(err) {
		return gotTimeout, nil
	} else if err != nil {
		return gotBroken, nil
	}
	defer response.Body.Close()
	if response.StatusCode == status && entry != "" {
		c.o.saw(id, entry)
	}
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return gotBroken, nil
	case response.StatusCode == status:
		return gotRight, body
	case response.StatusCode == http.StatusTooManyRequests:
		return got429, nil
	case response.StatusCode == http.StatusServiceUnavailable &&
		response.Header.Get("Retry-After") != "":
		return got503, nil
	}
	return c.isWrong("%s: %d to %s: %.300s", id, response.StatusCode, path, body), nil
}

func (c *caller) isWrong(format string, args ...any) outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
	return "wrong"
}

// during calls everything while happen runs, and returns the outcomes. None is wrong.
func (c *caller) during(t *testing.T, happen func()) *apptest.Counter {
	t.Helper()
	c.answers = new(apptest.Counter)
	stop := callEverything([]*caller{c}, 6)
	defer stop()
	happen()
	stop()
	t.Logf("%v, failed: %v", c.answers, &c.failed)
	require.Empty(t, c.wrong[:min(5, len(c.wrong))])
	require.Positive(t, c.answers.Of(string(gotRight)))
	return c.answers
}

// isSpared calls everything while happen runs, and requires that every answer is right. Calls may
// time out in make test, where other tests run at the same time.
func (c *caller) isSpared(t *testing.T, happen func()) {
	t.Helper()
	if answers := c.during(t, happen); apptest.Chaos {
		require.Empty(t, answers.Besides(string(gotRight)))
	}
}

// callEverything runs clients, shared evenly among the callers, until stop is called.
func callEverything(all []*caller, clients int) (stop func()) {
	var ended atomic.Bool
	var running sync.WaitGroup
	for n := range clients {
		running.Go(func() {
			for !ended.Load() {
				all[n%len(all)].call(rand.IntN(len(calls)))
				<-time.After(time.Duration(rand.IntN(200)) * time.Millisecond)
			}
		})
	}
	return sync.OnceFunc(func() {
		ended.Store(true)
		running.Wait()
		for _, c := range all {
			c.http.CloseIdleConnections()
		}
	})
}

// newRequest is a GET, or the POST of a form, with headers given as name, value.
func newRequest(address string, form url.Values, headers []string) *http.Request {
	method := http.MethodGet
	body := io.Reader(http.NoBody)
	if form != nil {
		method = http.MethodPost
		body = strings.NewReader(form.Encode())
	}
	request, err := http.NewRequest(method, address, body)
	if err != nil {
		panic(err) // the address is the test's
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.GetBody = nil // so that net/http does not send it again with the same id
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return request
}
