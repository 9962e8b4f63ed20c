package chaos

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/modules/identity/password"
	"dg/platform/testkit"
)

// A load takes all that an organisation may have of one kind of work. It sends one request,
// numbered try, as the nth client, and reads the answer.
type load func(n *neighbours, nth, try int)

var loads = []load{
	withKeys(func(n *neighbours) string { return n.Stats(301) }),
	withKeys(func(n *neighbours) string { return n.Stats(301) + "&groupId=" + n.Group }),
	withKeys(func(n *neighbours) string { return n.CSV() }),
	(*neighbours).readSlowly,
	onScreen("/reports/FORK/plays.csv" + apptest.LastDays(301)),
	onScreen("/reports/FORK" + apptest.LastDays(301)),
	onScreen("/reports"),
	onScreen("/settings/audit-log"),
	onScreen("/settings/audit-log.csv"),
	onScreen("/reports/FORK?player=a"),
	onScreen("/settings/organisation"),
	onScreen("/settings/api-keys"),
	signInWith(func(int) string { return testkit.Password }),
	signInWith(func(try int) string { return fmt.Sprint("wrong ", try) }),
	func(n *neighbours, _, _ int) {
		n.read("/sign-in/code", url.Values{"code": {"000000"}}, "Cookie", n.Cookies[1])
	},
	func(n *neighbours, nth, _ int) {
		wrongSecret := n.bearer(nth)[:len(n.bearer(nth))-4] + "0000"
		n.read("/api/v1/forks", nil, "Authorization", wrongSecret)
	},
	func(n *neighbours, nth, _ int) { n.read("/docs", nil, "Authorization", n.bearer(nth)) },
	func(n *neighbours, _, _ int) { n.read("/api/v1/forks", nil, "Authorization", n.bearer(0)) },
}

// loadClients is the number of clients of all loads together.
const loadClients = 64

func withKeys(path func(*neighbours) string) load {
	return func(n *neighbours, nth, try int) {
		n.read(path(n), nil, "Authorization", n.bearer(nth+loadClients*try))
	}
}

func onScreen(path string) load {
	return func(n *neighbours, _, _ int) {
		n.read("/o/"+n.Slug+strings.ReplaceAll(path, "FORK", n.Fork), nil, "Cookie", n.Cookies[0])
	}
}

func signInWith(password func(try int) string) load {
	return func(n *neighbours, _, try int) {
		n.read("/sign-in", url.Values{"email": {n.Emails[1]}, "password": {password(try)}})
	}
}

// neighbours is an organisation that takes all it may, on a dg with other organisations.
type neighbours struct {
	*apptest.Child
	*apptest.Tenant
	http *http.Client
	ctx  context.Context // ends with the load
}

func (n *neighbours) bearer(nth int) string { return "Bearer " + n.Keys[nth%len(n.Keys)] }

func (n *neighbours) send(path string, form url.Values, headers ...string) (*http.Response, error) {
	return n.http.Do(newRequest(n.URL+path, form, headers).WithContext(n.ctx))
}

// read reads an answer to its end.
func (n *neighbours) read(path string, form url.Values, headers ...string) {
	if r, err := n.send(path, form, headers...); err == nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
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

// underLoad runs all loads until stop is called.
func (n *neighbours) underLoad() (stop func()) {
	var end context.CancelFunc
	n.ctx, end = context.WithCancel(context.Background())
	var clients sync.WaitGroup
	for _, ask := range loads {
		for nth := range loadClients / len(loads) {
			clients.Go(func() {
				for try := 0; n.ctx.Err() == nil; try++ {
					ask(n, nth, try)
				}
			})
		}
	}
	return func() {
		end()
		clients.Wait()
		n.http.CloseIdleConnections()
	}
}

// rules.md, Bounds: one organisation takes all it may, and imports plays that are sealed. The calls
// of another are answered right. app/assembly proves the bounds of each kind of work.
func TestChaosNeighbours(t *testing.T) {
	if !apptest.Chaos {
		t.Parallel()
	}
	db := testkit.New(t)
	n := newNeighbours(t, db)
	customer := newCaller(t, db, n.URL)
	hash, err := password.Hash(testkit.Password) // at its real cost
	require.NoError(t, err)
	db.Exec(`update users set password_hash = $1 where email = any ($2)`, hash,
		append(customer.emails, n.Emails[1]))
	customer.o = beginChaos(t, apptest.AdminDBAt(t, db.URL), n.Child)
	stop := n.underLoad()
	defer stop()
	customer.isSpared(t, func() { <-time.After(chaosSeconds(2, 20, 60)) })
	stop()
	fork := testkit.Fork{ID: n.Fork, OrganisationID: testkit.One[string](db,
		`select org_id::text from forks where id = $1`, n.Fork)}
	customer.isSpared(t, func() {
		for range apptest.Sized(1, 15, 100) {
			db.Plays(fork, 10_000, time.Now().UTC().AddDate(0, 0, -250), 200*24*time.Hour/10_000)
		}
	})
	customer.o.ends(t)
}

func chaosSeconds(cut, chaotic, soaked int) time.Duration {
	return time.Duration(apptest.Sized(cut, chaotic, soaked)) * time.Second
}

// newNeighbours serves an organisation with the most keys, many groups and a long log.
func newNeighbours(t *testing.T, db *testkit.World) *neighbours {
	t.Helper()
	n := &neighbours{http: apptest.NewClient(), Tenant: apptest.NewTenant(db,
		apptest.Sized(1_000, 20_000, 100_000), apptest.Sized(5_000, 100_000, 500_000))}
	n.http.Transport = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 1000}
	organisation := testkit.One[string](db, `select id::text from organisations where slug = $1`, n.Slug)
	for len(n.Keys) < 100 {
		n.Keys = append(n.Keys, db.Key(organisation).Token())
	}
	db.Exec(`insert into player_groups (id, org_id, name)
		select gen_random_uuid(), $1, 'Class ' || i from generate_series(1, $2::int) i`,
		organisation, apptest.Sized(50, 2_000, 20_000))
	db.Exec(`insert into audit_entries (org_id, actor_kind, actor_id, actor_name, action,
			target_kind, target_id, method, path, address, user_agent, request_id)
		select $1, 'person', 'test', 'Test', 'api_key.created', 'api_key', 'none', 'GET', '/long',
			'127.0.0.1', 'test', 'test-' || i from generate_series(1, $2::int) i`,
		organisation, apptest.Sized(1_000, 100_000, 300_000))
	db.Exec(`analyze`) // as PostgreSQL does by itself
	n.Child = apptest.ServeDatabase(t, db)
	due := db.Person(testkit.Person{TOTPSecret: testkit.TOTPSecret})
	db.Join(organisation, due.ID, "member")
	for _, email := range []string{n.Emails[0], due.Email} { // the second one has to enter a code
		n.Cookies = append(n.Cookies, apptest.SessionOf(t, n.URL, email))
	}
	return n
}
