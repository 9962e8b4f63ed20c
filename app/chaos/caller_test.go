package chaos

import (
	"bytes"
	"expvar"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// caller sends all kinds of requests for one organisation. Each response must be correct or a visible failure.
type caller struct {
	http          *http.Client
	baseURL, slug string
	email         string
	cookie        string
	keys          []string // used in rotation, so that each stays below its rate limit
	spareKeys     chan string
	requests      atomic.Int64
	outcomes      expvar.Map // number of calls by outcome
	calls         map[string]func(id string) outcome

	mu             sync.Mutex
	wrongResponses []string
	wantEntries    map[[2]string]int // how many entries the audit log must have, by request id and action
}

// outcome is the result of a call: right, or a visible failure. Any other response is wrong.
type outcome string

const (
	outcomeRight   outcome = "right"
	outcome503     outcome = "503"
	outcomeBroken  outcome = "broken" // the connection or the transfer broke
	outcomeTimeout outcome = "timeout"
	outcome429     outcome = "429"
)

const periodQuery = "?from=2026-01-01&to=2026-03-31"

func newCaller(t *testing.T, db *testkit.World, base string) *caller {
	organisation := db.AddOrganisation(testkit.Organisation{})
	fork := db.AddFork(testkit.Fork{OrganisationID: organisation.ID})
	c := &caller{
		baseURL: base, slug: organisation.Slug, email: db.AddMember(organisation.ID, "owner").Email,
		http:      apptest.NewProxyClient(strings.TrimPrefix(base, "http://")), // attackers have another address
		spareKeys: make(chan string, apptest.PickSize(10, 60, 300)), wantEntries: map[[2]string]int{},
	}
	c.http.Timeout = 20 * time.Second
	group := db.AddGroup(organisation.ID, db.AddPlayers(organisation.ID, 40)[:20]...)
	db.AddPlays(fork, 1500, fork.CreatedAt, time.Hour)
	for range apptest.PickSize(20, 60, 60) {
		c.keys = append(c.keys, db.AddKey(organisation.ID).Token())
	}
	for range cap(c.spareKeys) {
		c.spareKeys <- db.AddKey(organisation.ID).Token()
	}
	owner := db.AddMember(organisation.ID, "owner") // c.email signs in so often that its older sessions end
	c.cookie = "__Host-dg=" + testkit.NewBrowser(t, base).SignIn(owner.Email, testkit.Password, "").SessionToken()
	c.calls = map[string]func(id string) outcome{
		"sign-in": c.signIn, "revocation": c.revoke, "refusal": c.useWrongSecret,
	}
	api := "/api/v1/forks/" + fork.ID
	screen := "/o/" + c.slug + "/reports/" + fork.ID
	for path, wantAction := range map[string]string{
		"/api/v1/forks": "", api: "", api + "/stats" + periodQuery + "&groupId=" + group: "",
		screen + periodQuery:                "",
		api + "/exports/csv" + periodQuery:  "export.started",
		screen + "/plays.csv" + periodQuery: "export.started",
	} {
		response := apptest.Get(t, c.http, base+path, "", c.credentialHeader(path)...)
		wantBody := apptest.ReadAll(t, response)
		require.Equal(t, http.StatusOK, response.StatusCode, path)
		c.calls[path] = func(id string) outcome { return c.read(id, path, wantAction, wantBody) }
	}
	return c
}

func (c *caller) call(name string) outcome {
	result := c.calls[name](fmt.Sprintf("%s-%d", c.slug, 10_000_000+c.requests.Add(1)))
	c.outcomes.Add(string(result), 1)
	return result
}

// hintPattern matches what a report leaves out if the database is slow: the number of players in each group.
var hintPattern = regexp.MustCompile(` <small>[0-9,]+ players</small>`)

func (c *caller) read(id, path, wantAction, wantBody string) outcome {
	result, body := c.send(id, path, http.StatusOK, wantAction, nil, c.credentialHeader(path)...)
	withoutHints := func(page string) string { return hintPattern.ReplaceAllString(page, "") }
	if result == outcomeRight && withoutHints(string(body)) != withoutHints(wantBody) {
		return c.recordWrong("%s: 200 with %d bytes, not %d", id, len(body), len(wantBody))
	}
	return result
}

func (c *caller) credentialHeader(path string) []string {
	if strings.HasPrefix(path, "/o/") {
		return []string{"Cookie", c.cookie, "Sec-Fetch-Site", "same-origin"}
	}
	return []string{"Authorization", "Bearer " + c.nextKey()}
}

func (c *caller) nextKey() string { return c.keys[int(c.requests.Add(1))%len(c.keys)] }

func (c *caller) signIn(id string) outcome {
	result, _ := c.send(id, "/sign-in", http.StatusSeeOther, "",
		url.Values{"email": {c.email}, "password": {testkit.Password}})
	return result
}

// revoke revokes a key. After the response, the key must be refused.
func (c *caller) revoke(id string) outcome {
	var token string
	select {
	case token = <-c.spareKeys:
	default:
		return outcomeRight // all spare keys are revoked
	}
	path := "/o/" + c.slug + "/settings/api-keys/" + strings.Split(token, "_")[2] + "/revoke"
	result, _ := c.send(id, path, http.StatusSeeOther, "api_key.revoked", url.Values{}, "Cookie", c.cookie)
	if result == outcomeRight {
		c.send(id+"-used", "/api/v1/forks", http.StatusUnauthorized, "api_key.refused", nil,
			"Authorization", "Bearer "+token)
	}
	return result
}

func (c *caller) useWrongSecret(id string) outcome {
	key := c.nextKey()
	result, _ := c.send(id, "/api/v1/forks", http.StatusUnauthorized, "api_key.refused", nil,
		"Authorization", "Bearer "+key[:len(key)-8]+"00000000")
	return result
}

// send requires the status or a visible failure. With the status, it adds wantAction to wantEntries.
func (c *caller) send(
	id, path string, status int, wantAction string, form url.Values, headers ...string,
) (outcome, []byte) {
	request := newRequest(c.baseURL+path, form, append(headers, "X-Request-Id", id))
	if form == nil {
		request.Body = io.NopCloser(strings.NewReader("")) // without GetBody, net/http does not retry
	}
	request.Close = rand.IntN(4) == 0
	response, err := c.http.Do(request)
	if os.IsTimeout(err) {
		return outcomeTimeout, nil
	} else if err != nil {
		return outcomeBroken, nil
	}
	defer response.Body.Close()
	if response.StatusCode == status && wantAction != "" {
		c.mu.Lock()
		c.wantEntries[[2]string{id, wantAction}]++
		c.mu.Unlock()
	}
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return outcomeBroken, nil
	case response.StatusCode == status:
		return outcomeRight, body
	case response.StatusCode == http.StatusTooManyRequests:
		return outcome429, nil
	case form == nil && bytes.Contains(body, []byte("Transfer-Encoding is not supported")):
		return outcomeBroken, nil // net/http sends an empty body in chunks if it could not read the body within 200 ms
	case response.StatusCode == http.StatusServiceUnavailable &&
		response.Header.Get("Retry-After") != "" && !internalsPattern.Match(body) &&
		(errorBodyPattern.Match(body) || !strings.HasPrefix(path, "/api/")):
		return outcome503, nil
	}
	return c.recordWrong("%s: %d to %s: %.300s", id, response.StatusCode, path, body), nil
}

// A 503 of the API must match errorBodyPattern. No 503 may match internalsPattern.
var (
	errorBodyPattern = regexp.MustCompile(`^\{"code":"unavailable","message":"[^"]+",` +
		`"details":\{"code":"ERR_UNAVAILABLE"\}\}\s*$`)
	internalsPattern = regexp.MustCompile(`(?i)postgres|dial |socket|SQLSTATE`)
)

func (c *caller) recordWrong(format string, args ...any) outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrongResponses = append(c.wrongResponses, fmt.Sprintf(format, args...))
	return "wrong"
}

// callEverything runs the clients, shared evenly among the callers, until stop is called.
func callEverything(callers []*caller, clients int) (stop func()) {
	var ended atomic.Bool
	var running sync.WaitGroup
	for n := range clients {
		running.Go(func() {
			c := callers[n%len(callers)]
			names := slices.Collect(maps.Keys(c.calls))
			for !ended.Load() {
				c.call(names[rand.IntN(len(names))])
				<-time.After(time.Duration(rand.IntN(200)) * time.Millisecond)
			}
		})
	}
	return sync.OnceFunc(func() {
		ended.Store(true)
		running.Wait()
		for _, c := range callers {
			c.http.CloseIdleConnections()
		}
	})
}

// newRequest returns a GET, or a POST if there is a form, with headers as name, value pairs.
func newRequest(address string, form url.Values, headers []string) *http.Request {
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	request, err := http.NewRequest(method, address, body)
	if err != nil {
		panic(err) // the test itself sets the address
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		request.GetBody = nil // keeps net/http from retrying with the same request id
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return request
}

// attacker is an owner who knows all players and groups. It compares reports of fork with those of unplayed.
type attacker struct {
	*testkit.Browser
	db             *testkit.World
	organisation   testkit.Organisation
	key            string
	requests       int
	fork, unplayed testkit.Fork
	groups         []string
}

// rules.md, Anonymity: a response on fewer than five active members equals one without plays, headers included.
func TestHiddenReportsLookLikeEmptyOnes(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	db := testkit.New(t)
	dg := apptest.ServeWith(t, db.Flags()...)
	for n := range apptest.PickSize(3, 60, 200) {
		a := newAttacker(t, db, dg.ListenURL, rand.New(rand.NewPCG(seed, uint64(n))))
		hiddenReports := 0
		for _, g := range a.groups {
			for _, days := range [][2]string{{"01", "12"}, {"01", "06"}, {"07", "12"}, {"04", "04"}, {"05", "05"}} {
				from, to := "2026-03-"+days[0], "2026-03-"+days[1]
				if active := a.countActive(g, from, to); active < 5 {
					hiddenReports++
					a.requireEqualReports("?from="+from+"&to="+to+"&groupId="+g, active)
				}
			}
		}
		require.Positive(t, hiddenReports)
	}
	require.Zero(t, db.CountRows(`audit_entries where action = 'export.finished' and details->>'outcome' = 'completed'
		and (details->>'rows')::int between 1 and 4`), "rows of a hidden group")
}

func newAttacker(t *testing.T, db *testkit.World, base string, random *rand.Rand) *attacker {
	a := &attacker{db: db, organisation: db.AddOrganisation(testkit.Organisation{})}
	a.fork = db.AddFork(testkit.Fork{OrganisationID: a.organisation.ID})
	a.unplayed = db.AddFork(testkit.Fork{OrganisationID: a.organisation.ID})
	a.Browser = testkit.NewBrowser(t, base).SignIn(db.AddMember(a.organisation.ID, "owner").Email, testkit.Password, "")
	players := db.AddPlayers(a.organisation.ID, 12+random.IntN(8))
	for _, size := range []int{4, 5, 6, 7, len(players) - 1} {
		random.Shuffle(len(players), func(i, j int) { players[i], players[j] = players[j], players[i] })
		a.groups = append(a.groups, db.AddGroup(a.organisation.ID, players[:size]...))
	}
	var plays []testkit.Play
	for range 2 * len(players) {
		at := time.Date(2026, 3, 1, 0, 0, random.IntN(12*86_400), 0, time.UTC)
		plays = append(plays, testkit.Play{Fork: a.fork, Player: players[random.IntN(len(players))], StartedAt: at})
	}
	db.StorePlays(plays)
	return a
}

func (a *attacker) countActive(group, from, to string) int {
	return a.db.CountRows(`group_members m where group_id = $1 and exists (select from plays p
		where fork_id = $2 and p.player = m.player
		and (started_at at time zone 'UTC')::date between $3::text::date and $4::text::date)`,
		group, a.fork.ID, from, to)
}

// requireEqualReports requires that each kind of report equals that of the fork without plays.
func (a *attacker) requireEqualReports(query string, active int) {
	screen := "/o/" + a.organisation.Slug + "/reports/FORK"
	for _, path := range []string{
		"GET /api/v1/forks/FORK/stats", "HEAD /api/v1/forks/FORK/stats",
		"GET /api/v1/forks/FORK/exports/csv", "HEAD /api/v1/forks/FORK/exports/csv",
		"GET " + screen, "GET " + screen + "/plays.csv",
		"GET " + screen + "?player=P-&sort=label&skills=weakest&compare=off",
	} {
		method, path, _ := strings.Cut(path, " ")
		path, extraQuery, _ := strings.Cut(path, "?")
		path = strings.TrimSuffix(path+query+"&"+extraQuery, "&")
		require.Equal(a.T, a.observe(method, path, a.unplayed), a.observe(method, path, a.fork),
			"%d members played: %s", active, path)
	}
}

// observe returns a response's headers and body, without what always differs, such as the request id.
func (a *attacker) observe(method, path string, fork testkit.Fork) string {
	if a.requests++; a.requests%100 == 1 { // a key may send 120 requests a minute
		a.key = a.db.AddKey(a.organisation.ID).Token()
	}
	header := testkit.SameOrigin
	if strings.HasPrefix(path, "/api/") {
		header = http.Header{"Authorization": {"Bearer " + a.key}}
	}
	page := a.Send(method, strings.Replace(path, "FORK", fork.ID, 1), "", header).Is(a.T, 200)
	for _, name := range []string{"Date", "X-Request-Id", "Ratelimit", "Ratelimit-Policy"} {
		page.Header.Del(name)
	}
	return strings.ReplaceAll(fmt.Sprint(page.Header, page.Body), fork.ID, "FORK")
}
