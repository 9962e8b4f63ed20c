package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// greed is a way to take all that an organisation may have of something: so many clients ask again
// and again.
type greed struct {
	name    string
	clients int
	once    greedy
}

// greedy asks once, as the nth client for the time that try says, and reads the answer.
type greedy func(n *neighbours, v *visitor, nth, try int) (status int, err error)

var greeds = []greed{
	{"largest reports", 64, withKeys(func(n *neighbours) string { return n.a.Stats(301) })},
	{
		"reports of groups", 64,
		withKeys(func(n *neighbours) string { return n.a.Stats(301) + "&groupId=" + n.a.Group }),
	},
	{"exports", 64, withKeys(func(n *neighbours) string { return n.a.CSV() })},
	{"exports that are read slowly", 64, (*neighbours).readSlowly},
	{
		"downloads", 64,
		onScreen(func(n *neighbours) string {
			return "/reports/" + n.a.Fork + "/plays.csv" + apptest.LastDays(301)
		}),
	},
	{
		"dashboards", 64,
		onScreen(func(n *neighbours) string {
			return "/reports/" + n.a.Fork + apptest.LastDays(301)
		}),
	},
	{"lists of reports", 64, onScreen(func(*neighbours) string { return "/reports" })},
	{"the audit log", 64, onScreen(func(*neighbours) string { return "/settings/audit-log" })},
	{
		"downloads of the audit log", 64,
		onScreen(func(*neighbours) string { return "/settings/audit-log.csv" }),
	},
	{
		"searches for groups", 64,
		onScreen(func(n *neighbours) string { return "/reports/" + n.a.Fork + "?find=a" }),
	},
	{"settings", 64, onScreen(func(*neighbours) string { return "/settings/organisation" })},
	{"the list of keys", 64, onScreen(func(*neighbours) string { return "/settings/api-keys" })},
	{"right passwords", 32, signInWith(func(int) string { return fixtures.Password })},
	{
		"wrong passwords", 32,
		signInWith(func(try int) string { return fmt.Sprint("wrong password ", try) }),
	},
	{"wrong codes", 32, func(n *neighbours, v *visitor, _, _ int) (int, error) {
		return v.status("/sign-in/code", url.Values{"code": {"000000"}}, "Cookie", n.a.Cookies[1])
	}},
	{"wrong secrets", 64, (*neighbours).wrongSecret},
	{"a revoked key", 64, func(n *neighbours, v *visitor, _, try int) (int, error) {
		return n.refused(v, try, "/api/v1/forks", "Bearer "+n.a.Revoked)
	}},
	{"keys outside", 64, (*neighbours).outside},
	{"a key over its rate", 64, func(n *neighbours, v *visitor, _, _ int) (int, error) {
		return v.status("/api/v1/forks", nil, "Authorization", n.bearer(0))
	}},
	{"creation and revocation", 16, (*neighbours).createAndRevoke},
}

func (n *neighbours) bearer(nth int) string { return "Bearer " + n.a.Keys[nth%len(n.a.Keys)] }

func withKeys(path func(*neighbours) string) greedy {
	return func(n *neighbours, v *visitor, nth, try int) (int, error) {
		return v.status(path(n), nil, "Authorization", n.bearer(nth+64*try))
	}
}

func onScreen(path func(*neighbours) string) greedy {
	return func(n *neighbours, v *visitor, _, _ int) (int, error) {
		return v.status("/o/"+n.a.Slug+path(n), nil, "Cookie", n.a.Cookies[0])
	}
}

func signInWith(password func(try int) string) greedy {
	return func(n *neighbours, v *visitor, _, try int) (int, error) {
		return v.status("/sign-in",
			url.Values{"email": {n.a.Emails[1]}, "password": {password(try)}})
	}
}

func (n *neighbours) readSlowly(v *visitor, nth, _ int) (int, error) {
	r, err := v.open(n.a.CSV(), nil, "Authorization", n.bearer(nth))
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	for err == nil {
		_, err = io.CopyN(io.Discard, r.Body, 10_000)
		select {
		case <-v.ctx.Done():
			return r.StatusCode, nil
		case <-time.After(50 * time.Millisecond):
		}
	}
	return r.StatusCode, nil
}

func (n *neighbours) wrongSecret(v *visitor, nth, try int) (int, error) {
	key := n.bearer(nth)
	return n.refused(v, try, "/api/v1/forks", key[:len(key)-4]+"0000")
}

func (n *neighbours) outside(v *visitor, nth, try int) (int, error) {
	return n.refused(v, try, "/docs", n.bearer(nth))
}

// refused sends a key that is refused. Of one in fifty it is checked that the entry is there, of
// those over the limit the number.
func (n *neighbours) refused(v *visitor, try int, path, key string) (int, error) {
	id := uuid.NewString()
	status, err := v.status(path, nil, "Authorization", key, "X-Request-Id", id)
	switch {
	case status == http.StatusTooManyRequests:
		n.o.counted.Add(1)
	case (status == http.StatusUnauthorized || status == http.StatusForbidden) && try%50 == 0:
		n.o.saw(id, "api_key.refused")
	}
	return status, err
}

var newKeyID = regexp.MustCompile(`dg_live_([0-9A-Za-z]{22})`)

func (n *neighbours) createAndRevoke(v *visitor, _, _ int) (int, error) {
	keys := "/o/" + n.a.Slug + "/settings/api-keys"
	form := url.Values{
		"name":           {"Warehouse"},
		"scopes":         {"forks:read"},
		"expiry":         {"90"},
		"idempotencyKey": {uuid.NewString()},
	}
	r, err := v.open(keys+"/new", form, "Cookie", n.a.Cookies[0])
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	id := newKeyID.FindSubmatch(body)
	if err != nil || id == nil {
		return r.StatusCode, err
	}
	return v.status(keys+"/"+string(id[1])+"/revoke", url.Values{}, "Cookie", n.a.Cookies[0])
}

// visitor is a client of one address that keeps its connections, until ctx ends.
type visitor struct {
	ctx  context.Context
	http *http.Client
	base string
}

func newVisitor(ctx context.Context, base, address string) *visitor {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{
		DialContext:         dialer.DialContext,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 1000,
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &visitor{ctx, &http.Client{Transport: transport, CheckRedirect: stay}, base}
}

// open sends a GET, or a form by POST, with headers given as name, value.
func (v *visitor) open(path string, form url.Values, headers ...string) (*http.Response, error) {
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(v.ctx, method, v.base+path,
		strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return v.http.Do(request)
}

func (v *visitor) status(path string, form url.Values, headers ...string) (int, error) {
	r, err := v.open(path, form, headers...)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return r.StatusCode, err
}

// greedyOrder is what a greedy organisation takes, and where.
type greedyOrder struct {
	Base, Slug, Fork, Group string
	Revoked                 string
	Emails, Keys, Cookies   []string
	Greeds                  []string
}

// greedily lets the organisation take what it may of some things, from three addresses, until leave
// is called. It says how it was answered.
func (n *neighbours) greedily(t *testing.T, of ...greed) (leave func() string) {
	t.Helper()
	a := n.a
	order := greedyOrder{
		n.URL, a.Slug, a.Fork, a.Group, a.Revoked, a.Emails, a.Keys, a.Cookies, nil,
	}
	for _, g := range of {
		order.Greeds = append(order.Greeds, g.name)
	}
	answers := ""
	end := aside(t, "greedy", order, func(line string) {
		var counted int64
		if id, ok := strings.CutPrefix(line, "saw "); ok {
			n.o.saw(id, "api_key.refused")
		} else if _, err := fmt.Sscanf(line, "counted %d", &counted); err == nil {
			n.o.counted.Add(counted)
		} else {
			answers += line
		}
	})
	return func() string {
		end()
		return answers
	}
}

// greedyAside is the greedy organisation.
func greedyAside(ctx context.Context, order []byte, say func(format string, args ...any)) error {
	var g greedyOrder
	if err := json.Unmarshal(order, &g); err != nil {
		return err
	}
	a := &apptest.Tenant{
		Slug:    g.Slug,
		Fork:    g.Fork,
		Group:   g.Group,
		Revoked: g.Revoked,
		Emails:  g.Emails,
		Keys:    g.Keys,
		Cookies: g.Cookies,
	}
	n := &neighbours{o: &chaosRun{entries: map[[2]string]int{}}, a: a}
	var of []greed
	for _, known := range greeds {
		if slices.Contains(g.Greeds, known.name) {
			of = append(of, known)
		}
	}
	answers := n.take(ctx, g.Base, of)
	for seen := range n.o.entries {
		say("saw %s", seen[0])
	}
	say("counted %d", n.o.counted.Load())
	say("%s", answers)
	return nil
}

// take asks until ctx ends, and says how it was answered.
func (n *neighbours) take(ctx context.Context, base string, of []greed) (answers string) {
	var visitors []*visitor
	for i := range 3 {
		visitors = append(visitors, newVisitor(ctx, base, fmt.Sprintf("127.0.0.%d", 30+i)))
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for _, g := range of {
		for nth := range max(2, g.clients/len(of)) {
			all.Go(func() {
				for try := 0; ctx.Err() == nil; try++ {
					status, _ := g.once(n, visitors[nth%len(visitors)], nth, try)
					mu.Lock()
					statuses[status]++ // 0: it was left
					mu.Unlock()
				}
			})
		}
	}
	all.Wait()
	for _, v := range visitors {
		v.http.CloseIdleConnections()
	}
	for _, s := range slices.Sorted(maps.Keys(statuses)) {
		answers += fmt.Sprintf(" %d × %d", statuses[s], s)
	}
	return answers
}
