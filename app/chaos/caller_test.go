package chaos

import (
	"bytes"
	"expvar"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"regexp"
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
	http       *http.Client
	base, slug string
	email      string
	cookie     string
	keys       []string // used in turn, below the rate limit of each
	spare      chan string
	asked      atomic.Int64
	answers    expvar.Map // by outcome
	calls      map[string]func(id string) outcome

	mu      sync.Mutex
	wrong   []string
	entries map[[2]string]int // request id and action, of answers that need an entry
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

// newCaller stores an organisation and records the right answers before the chaos begins.
func newCaller(t *testing.T, db *testkit.World, base string) *caller {
	organisation := db.Organisation(testkit.Organisation{})
	fork := db.Fork(testkit.Fork{OrganisationID: organisation.ID})
	c := &caller{
		base: base, slug: organisation.Slug,
		http:  apptest.ClientOf(strings.TrimPrefix(base, "http://")), // at another address than attacks
		spare: make(chan string, apptest.Sized(10, 60, 300)), entries: map[[2]string]int{},
		email: db.Member(organisation.ID, "owner").Email,
	}
	c.http.Timeout = 20 * time.Second
	group := db.Group(organisation.ID, db.Players(organisation.ID, 40)[:20]...)
	db.Plays(fork, 1500, fork.CreatedAt, time.Hour)
	for range apptest.Sized(20, 60, 60) {
		c.keys = append(c.keys, db.Key(organisation.ID).Token())
	}
	for range cap(c.spare) {
		c.spare <- db.Key(organisation.ID).Token()
	}
	owner := testkit.NewBrowser(t, base).
		SignIn(db.Member(organisation.ID, "owner").Email, testkit.Password, "")
	c.cookie = "__Host-dg=" + owner.Session()
	c.calls = map[string]func(id string) outcome{
		"sign-in": c.signsIn, "revocation": c.revokes, "refusal": c.isRefused,
	}
	api := "/api/v1/forks/" + fork.ID
	screen := "/o/" + c.slug + "/reports/" + fork.ID
	for path, entry := range map[string]string{
		"/api/v1/forks": "", api: "", api + "/stats" + calledPeriod + "&groupId=" + group: "",
		screen + calledPeriod:                "",
		api + "/exports/csv" + calledPeriod:  "export.started",
		screen + "/plays.csv" + calledPeriod: "export.started",
	} {
		response := apptest.Ask(t, c.http, base+path, "", c.credential(path)...)
		right := apptest.ReadAll(t, response)
		require.Equal(t, http.StatusOK, response.StatusCode, path)
		c.calls[path] = func(id string) outcome { return c.reads(id, path, entry, right) }
	}
	return c
}

func (c *caller) call(name string) outcome {
	got := c.calls[name](fmt.Sprintf("%s-%d", c.slug, 10_000_000+c.asked.Add(1)))
	c.answers.Add(string(got), 1)
	return got
}

func (c *caller) reads(id, path, entry, right string) outcome {
	got, body := c.send(id, path, http.StatusOK, entry, nil, c.credential(path)...)
	if got == gotRight && string(body) != right {
		return c.isWrong("%s: 200 with %d bytes, not %d", id, len(body), len(right))
	}
	return got
}

func (c *caller) credential(path string) []string {
	if strings.HasPrefix(path, "/o/") {
		return []string{"Cookie", c.cookie, "Sec-Fetch-Site", "same-origin"}
	}
	return []string{"Authorization", "Bearer " + c.key()}
}

func (c *caller) key() string { return c.keys[int(c.asked.Add(1))%len(c.keys)] }

func (c *caller) signsIn(id string) outcome {
	got, _ := c.send(id, "/sign-in", http.StatusSeeOther, "",
		url.Values{"email": {c.email}, "password": {testkit.Password}})
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
	got, _ := c.send(id, path, http.StatusSeeOther, "api_key.revoked", url.Values{}, "Cookie", c.cookie)
	if got == gotRight {
		c.send(id+"-used", "/api/v1/forks", http.StatusUnauthorized, "api_key.refused", nil,
			"Authorization", "Bearer "+token)
	}
	return got
}

func (c *caller) isRefused(id string) outcome {
	key := c.key()
	got, _ := c.send(id, "/api/v1/forks", http.StatusUnauthorized, "api_key.refused", nil,
		"Authorization", "Bearer "+key[:len(key)-8]+"00000000")
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
		c.mu.Lock()
		c.entries[[2]string{id, entry}]++
		c.mu.Unlock()
	}
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return gotBroken, nil
	case response.StatusCode == status:
		return gotRight, body
	case response.StatusCode == http.StatusTooManyRequests:
		return got429, nil
	case form == nil && bytes.Contains(body, []byte("Transfer-Encoding is not supported")):
		return gotBroken, nil // net/http sends an empty body in chunks that it could not read within 200 ms
	case response.StatusCode == http.StatusServiceUnavailable &&
		response.Header.Get("Retry-After") != "" && !internals.Match(body) &&
		(errorBody.Match(body) || !strings.HasPrefix(path, "/api/")):
		return got503, nil
	}
	return c.isWrong("%s: %d to %s: %.300s", id, response.StatusCode, path, body), nil
}

// The API's body of a 503, and what no answer shows.
var (
	errorBody = regexp.MustCompile(`^\{"code":"unavailable","message":"[^"]+",` +
		`"details":\{"code":"ERR_UNAVAILABLE"\}\}\s*$`)
	internals = regexp.MustCompile(`(?i)postgres|dial |socket|SQLSTATE`)
)

func (c *caller) isWrong(format string, args ...any) outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
	return "wrong"
}

// callEverything runs clients, shared evenly among the callers, until stop is called.
func callEverything(all []*caller, clients int) (stop func()) {
	var ended atomic.Bool
	var running sync.WaitGroup
	for n := range clients {
		running.Go(func() {
			c := all[n%len(all)]
			for !ended.Load() {
				for name := range c.calls { // in random order
					c.call(name)
					<-time.After(time.Duration(rand.IntN(200)) * time.Millisecond)
					if ended.Load() {
						return
					}
				}
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
