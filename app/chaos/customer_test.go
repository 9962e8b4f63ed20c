package chaos

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// customer is an organisation that harms nobody: its tools and its owner make each call at a steady
// rate, by a client that keeps its connection and by one that opens a new one each time.
type customer struct {
	base  string
	email string // of an owner who signs in again and again
	calls []customerCall
}

// customerCall is one call, and what its right answer contains.
type customerCall struct {
	name, path, right string
	form              url.Values
	headers           func() []string
}

// customerPause is how long a client waits between two calls.
const customerPause = 100 * time.Millisecond

// newCustomer stores a customer with a fork of a few thousand plays.
func newCustomer(t *testing.T, db *fixtures.Database, base string) *customer {
	t.Helper()
	o := db.Organisation(fixtures.Organisation{})
	from := time.Now().UTC().AddDate(0, 0, -20)
	fork := db.Fork(fixtures.Fork{OrganisationID: o.ID, CreatedAt: from})
	db.Players(o.ID, 200)
	db.Plays(fork, 3000, from, 9*time.Minute)
	keys := make([]string, 60) // their 120 requests a minute are never used up
	for i := range keys {
		keys[i] = db.Key(o.ID).Token()
	}
	var turn atomic.Int32
	key := func() []string {
		return []string{"Authorization", "Bearer " + keys[int(turn.Add(1))%len(keys)]}
	}
	c := &customer{base: base, email: db.Member(o.ID, "owner").Email}
	cookies := apptest.CookiesOf(t, base, db.Member(o.ID, "owner").Email, fixtures.Password)
	session := func() []string { return []string{"Cookie", cookies} }
	path := "/api/v1/forks/" + fork.ID
	c.calls = []customerCall{
		{"fork list", "/api/v1/forks", fork.ID, nil, key},
		{"fork", path, fork.ID, nil, key},
		{"statistics", path + "/stats" + apptest.LastDays(30), `"uniquePlayers":200`, nil, key},
		{"export", path + "/exports/csv" + apptest.LastDays(2), "playId,", nil, key},
		{"screen", "/o/" + o.Slug + "/reports/" + fork.ID, "</html>", nil, session},
	}
	return c
}

// signsIn adds signing in to the calls.
func (c *customer) signsIn() {
	form := url.Values{"email": {c.email}, "password": {fixtures.Password}}
	c.calls = append(c.calls, customerCall{"sign-in", "/sign-in", "", form, nil})
}

// experience is what a customer saw: right answers, failures, and answers of success that are wrong.
type experience struct {
	mu            sync.Mutex
	right         int
	failed, wrong []string
}

// during makes the calls while something happens, at least each once, and returns what it saw.
func (c *customer) during(t *testing.T, happen func()) *experience {
	t.Helper()
	e := new(experience)
	var ended atomic.Bool
	var clients sync.WaitGroup
	for _, keep := range []bool{true, false} {
		client := apptest.PlainClient(keep)
		client.CheckRedirect = apptest.WithoutRedirects().CheckRedirect
		defer client.CloseIdleConnections()
		for _, call := range c.calls {
			clients.Go(func() {
				for {
					e.add(call.name, c.call(client, call))
					if ended.Load() {
						return
					}
					<-time.After(customerPause)
				}
			})
		}
	}
	happen()
	ended.Store(true)
	clients.Wait()
	t.Logf("%d right, %d failed: %.300q", e.right, len(e.failed), e.failed)
	require.Positive(t, e.right)
	require.Empty(t, e.wrong)
	return e
}

var errWrongAnswer = errors.New("a wrong answer of success")

func (e *experience) add(name string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case err == nil:
		e.right++
	case errors.Is(err, errWrongAnswer):
		e.wrong = append(e.wrong, name+": "+err.Error())
	default:
		e.failed = append(e.failed, name+": "+err.Error())
	}
}

// call makes one call and reads its answer.
func (c *customer) call(client *http.Client, call customerCall) error {
	var headers []string
	if call.headers != nil {
		headers = call.headers()
	}
	response, err := client.Do(newRequest(c.base+call.path, call.form, headers))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	want := http.StatusOK
	if call.form != nil {
		want = http.StatusSeeOther
	}
	switch {
	case err != nil:
		return err
	case response.StatusCode != want:
		return fmt.Errorf("answered %d: %.300s", response.StatusCode, body)
	case !strings.Contains(string(body), call.right):
		return fmt.Errorf("%w: %.300s", errWrongAnswer, body)
	}
	return nil
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
		panic(err) // a test's own address
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.GetBody = nil // net/http sends it once: an id is one request
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return request
}

// isSpared fails if a customer saw a failure. In every run other tests work beside it: calls may
// time out.
func (e *experience) isSpared(t *testing.T) {
	t.Helper()
	if apptest.Chaos {
		require.Empty(t, e.failed)
	}
}
