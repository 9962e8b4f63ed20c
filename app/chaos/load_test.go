package chaos

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/modules/identity/password"
	"dg/platform/testkit/fixtures"
)

// load is a way to take all that an organisation may have of something: its clients ask again and
// again.
type load struct {
	name string
	ask  loadFunc
}

// loadFunc asks once, as the nth client for the time that try says, and reads the answer.
type loadFunc func(n *neighbours, nth, try int)

var loads = []load{
	{"largest reports", withKeys(func(n *neighbours) string { return n.Stats(301) })},
	{"reports of groups", withKeys(func(n *neighbours) string {
		return n.Stats(301) + "&groupId=" + n.Group
	})},
	{"exports", withKeys(func(n *neighbours) string { return n.CSV() })},
	{"exports that are read slowly", (*neighbours).readSlowly},
	{"downloads", onScreen("/reports/FORK/plays.csv" + apptest.LastDays(301))},
	{"dashboards", onScreen("/reports/FORK" + apptest.LastDays(301))},
	{"lists of reports", onScreen("/reports")},
	{"the audit log", onScreen("/settings/audit-log")},
	{"downloads of the audit log", onScreen("/settings/audit-log.csv")},
	{"searches for groups", onScreen("/reports/FORK?find=a")},
	{"settings", onScreen("/settings/organisation")},
	{"the list of keys", onScreen("/settings/api-keys")},
	{"right passwords", signInWith(func(int) string { return fixtures.Password })},
	{"wrong passwords", signInWith(func(try int) string { return fmt.Sprint("wrong ", try) })},
	{"wrong codes", func(n *neighbours, _, _ int) {
		n.status("/sign-in/code", url.Values{"code": {"000000"}}, "Cookie", n.Cookies[1])
	}},
	{"wrong secrets", func(n *neighbours, nth, try int) {
		key := n.bearer(nth)
		n.refused(try, "/api/v1/forks", key[:len(key)-4]+"0000")
	}},
	{"a revoked key", func(n *neighbours, _, try int) {
		n.refused(try, "/api/v1/forks", "Bearer "+n.Revoked)
	}},
	{"keys outside", func(n *neighbours, nth, try int) { n.refused(try, "/docs", n.bearer(nth)) }},
	{"a key over its rate", func(n *neighbours, _, _ int) {
		n.status("/api/v1/forks", nil, "Authorization", n.bearer(0))
	}},
	{"creation and revocation", (*neighbours).createAndRevoke},
}

// loadClients is how many clients a load has; of several at once it is their share.
const loadClients = 64

func withKeys(path func(*neighbours) string) loadFunc {
	return func(n *neighbours, nth, try int) {
		n.status(path(n), nil, "Authorization", n.bearer(nth+loadClients*try))
	}
}

func onScreen(path string) loadFunc {
	return func(n *neighbours, _, _ int) {
		n.status("/o/"+n.Slug+strings.ReplaceAll(path, "FORK", n.Fork), nil, "Cookie", n.Cookies[0])
	}
}

func signInWith(password func(try int) string) loadFunc {
	return func(n *neighbours, _, try int) {
		n.status("/sign-in", url.Values{"email": {n.Emails[1]}, "password": {password(try)}})
	}
}

// neighbours are two organisations on one dg: a greedy one, and a customer.
type neighbours struct {
	*apptest.Child
	*apptest.Tenant // the greedy one
	db              *fixtures.Database
	o               *chaosRun
	customer        *caller
	http            *http.Client // of the greedy one
	ctx             context.Context
}

func (n *neighbours) bearer(nth int) string { return "Bearer " + n.Keys[nth%len(n.Keys)] }

// send asks as the greedy organisation, until its load ends.
func (n *neighbours) send(path string, form url.Values, headers ...string) (*http.Response, error) {
	return n.http.Do(newRequest(n.URL+path, form, headers).WithContext(n.ctx))
}

func (n *neighbours) status(path string, form url.Values, headers ...string) int {
	r, err := n.send(path, form, headers...)
	if err != nil {
		return 0
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	return r.StatusCode
}

func (n *neighbours) readSlowly(nth, _ int) {
	r, err := n.send(n.CSV(), nil, "Authorization", n.bearer(nth))
	if err != nil {
		return
	}
	defer r.Body.Close()
	for err == nil {
		_, err = io.CopyN(io.Discard, r.Body, 10_000)
		pause(n.ctx, 50*time.Millisecond)
	}
}

// refused sends a key that is refused. Of one in fifty it is checked that the entry is there, of
// those over the limit the number.
func (n *neighbours) refused(try int, path, key string) {
	id := uuid.NewString()
	status := n.status(path, nil, "Authorization", key, "X-Request-Id", id)
	switch {
	case status == http.StatusTooManyRequests:
		n.o.counted.Add(1)
	case (status == http.StatusUnauthorized || status == http.StatusForbidden) && try%50 == 0:
		n.o.saw(id, "api_key.refused")
	}
}

var newKeyID = regexp.MustCompile(`dg_live_([0-9A-Za-z]{22})`)

func (n *neighbours) createAndRevoke(_, _ int) {
	keys := "/o/" + n.Slug + "/settings/api-keys"
	r, err := n.send(keys+"/new", url.Values{
		"name":           {"Warehouse"},
		"scopes":         {"forks:read"},
		"expiry":         {"90"},
		"idempotencyKey": {uuid.NewString()},
	}, "Cookie", n.Cookies[0])
	if err != nil {
		return
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(r.Body)
	if id := newKeyID.FindSubmatch(body); id != nil {
		n.status(keys+"/"+string(id[1])+"/revoke", url.Values{}, "Cookie", n.Cookies[0])
	}
}

// under runs some loads until leave is called.
func (n *neighbours) under(some ...load) (leave func()) {
	n.Fill()
	ctx, stop := context.WithCancel(context.Background())
	n.ctx = ctx
	var clients sync.WaitGroup
	for _, l := range some {
		for nth := range max(2, loadClients/len(some)) {
			clients.Go(func() {
				for try := 0; ctx.Err() == nil; try++ {
					l.ask(n, nth, try)
				}
			})
		}
	}
	return func() {
		stop()
		clients.Wait()
		n.http.CloseIdleConnections()
	}
}

// rules.md, Bounds: whatever an organisation takes of what it may have, of one thing or of
// everything at once, another one's calls are answered right.
func TestChaosNeighbours(t *testing.T) {
	if !apptest.Chaos {
		t.Parallel()
	}
	n := newNeighbours(t)
	if os.Getenv("GOMAXPROCS") == "" {
		require.Contains(t, operations(t, n.Child, "/metrics"),
			fmt.Sprintf("go_sched_gomaxprocs_threads %d\n", 2*runtime.GOMAXPROCS(0)))
	}
	beside := func(name string, some ...load) {
		t.Run(name, func(t *testing.T) {
			defer n.under(some...)()
			n.customer.isSpared(t, func() { <-time.After(chaosSeconds(2, 5, 20)) })
		})
	}
	if apptest.Chaos {
		for _, l := range loads {
			beside(l.name, l)
		}
	}
	beside("everything", loads...)
	t.Run("an import that is to be sealed", func(t *testing.T) {
		fork := fixtures.Fork{ID: n.Fork, OrganisationID: n.organisation()}
		n.customer.isSpared(t, func() {
			for range apptest.ChaosSize(1, 15, 100) {
				n.db.Plays(fork, 10_000, time.Now().UTC().AddDate(0, 0, -250),
					200*24*time.Hour/10_000)
			}
		})
	})
	n.o.ends(t)
}

func chaosSeconds(cut, chaotic, soaked int) time.Duration {
	return time.Duration(apptest.ChaosSize(cut, chaotic, soaked)) * time.Second
}

func (n *neighbours) organisation() string {
	return fixtures.One[string](n.db, `select id::text from organisations where slug = $1`, n.Slug)
}

// newNeighbours stores a greedy organisation with as many keys and groups and as long a log as it
// may have.
func newNeighbours(t *testing.T) *neighbours {
	t.Helper()
	db := fixtures.New(t)
	n := &neighbours{db: db, http: apptest.WithoutRedirects(), Tenant: apptest.NewTenant(db,
		apptest.ChaosSize(1_000, 20_000, 100_000), apptest.ChaosSize(5_000, 100_000, 500_000))}
	n.http.Transport = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 1000}
	organisation := n.organisation()
	for len(n.Keys) < 99 { // one more can be created
		n.Keys = append(n.Keys, db.Key(organisation).Token())
	}
	keys := n.Keys
	n.Fill = func() { // the minute of all keys is over
		db.Exec(`delete from api_key_windows`)
		n.Keys = keys
	}
	n.Revoked = db.Key(organisation).Token()
	db.Exec(`update api_keys set revoked_at = now() where id = $1`,
		newKeyID.FindStringSubmatch(n.Revoked)[1])
	db.Exec(`insert into player_groups (id, org_id, name)
		select gen_random_uuid(), $1, 'Class ' || i from generate_series(1, $2::int) i`,
		organisation, apptest.ChaosSize(50, 2_000, 20_000))
	db.Exec(`insert into audit_entries (org_id, actor_kind, actor_id, actor_name, action,
			target_kind, target_id, method, path, address, user_agent, request_id)
		select $1, 'person', 'test', 'Test', 'api_key.created', 'api_key', 'none', 'GET', '/long',
			'127.0.0.1', 'test', 'test-' || i from generate_series(1, $2::int) i`,
		organisation, apptest.ChaosSize(1_000, 100_000, 300_000))
	db.Exec(`analyze`) // as PostgreSQL does by itself
	n.Child = apptest.ServeDatabase(t, db)
	due := db.Person(fixtures.Person{TOTPSecret: fixtures.TOTPSecret})
	db.Join(organisation, due.ID, "member")
	for _, email := range []string{n.Emails[0], due.Email} { // the second one has to enter a code
		n.Cookies = append(n.Cookies, apptest.SessionOf(t, n.URL, email))
	}
	n.customer = newCaller(t, db, n.URL)
	hash, err := password.Hash(fixtures.Password, rand.Reader) // at its real cost
	require.NoError(t, err)
	db.Exec(`update users set password_hash = $1 where email = any ($2)`, hash,
		append(n.customer.emails, n.Emails[1]))
	n.o = beginChaos(t, apptest.DoorTo(t, db.DirectURL), n.Child)
	n.customer.o = n.o
	return n
}
