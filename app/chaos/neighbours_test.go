package chaos

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/modules/identity"
	"dg/platform/testkit/fixtures"
)

// neighbours are two organisations on one dg: a greedy one that takes all that it may have, and a
// customer.
type neighbours struct {
	*apptest.Child
	db      *fixtures.Database
	o       *chaosRun
	a       *apptest.Tenant
	healthy *healthy
	signIns *healthy // the customer's
}

// Whatever an organisation takes of what it may have, of one thing or of everything at once,
// another one's calls are answered right.
func TestChaosNeighbours(t *testing.T) {
	if !apptest.Chaos {
		t.Parallel()
	}
	n := startNeighbours(t)
	if os.Getenv("GOMAXPROCS") == "" {
		require.Contains(t, operations(t, n.Child, "/metrics"),
			fmt.Sprintf("go_sched_gomaxprocs_threads %d\n", 2*runtime.GOMAXPROCS(0)))
	}
	n.rest(t, time.Second) // warms up
	quiet, quietSignIns := n.rest(t, time.Duration(apptest.ChaosSize(0, 8, 30))*time.Second)
	beside := func(name string, of ...greed) {
		t.Run(name, func(t *testing.T) {
			n.a.Fill()
			leave := n.greedily(t, of...)
			figures, signIns := n.rest(t, time.Duration(apptest.ChaosSize(2, 5, 20))*time.Second)
			t.Logf("beside %s:%s", name, leave())
			figures.isSpared(t, quiet)
			signIns.isSpared(t, quietSignIns)
		})
	}
	for _, g := range greeds {
		if apptest.Chaos {
			beside(g.name, g)
		}
	}
	beside("everything", greeds...)
	t.Run("an import that is to be sealed", func(t *testing.T) {
		figures := n.healthy.during(t, func() {
			n.imports(apptest.ChaosSize(1_000, 150_000, 1_000_000))
		})
		figures.isSpared(t, quiet)
	})
	n.o.ends(t)
}

func startNeighbours(t *testing.T) *neighbours {
	t.Helper()
	db := fixtures.New(t)
	n := &neighbours{
		db: db,
		a: apptest.NewTenant(db, apptest.ChaosSize(1_000, 20_000, 100_000),
			apptest.ChaosSize(5_000, 100_000, 500_000)),
	}
	owner := db.Member(db.Organisation(fixtures.Organisation{}).ID, "owner").Email
	organisation := fixtures.One[string](db, `select id::text from organisations where slug = $1`,
		n.a.Slug)
	for len(n.a.Keys) < 99 { // one more can be created
		n.a.Keys = append(n.a.Keys, db.Key(organisation).Token())
	}
	n.a.Revoked = db.Key(organisation).Token()
	db.Exec(`update api_keys set revoked_at = now() where id = $1`,
		newKeyID.FindStringSubmatch(n.a.Revoked)[1])
	db.Exec(`insert into player_groups (id, org_id, name)
		select gen_random_uuid(), $1, 'Class ' || i from generate_series(1, $2::int) i`,
		organisation, apptest.ChaosSize(50, 2_000, 20_000))
	n.a.Fill = func() { // its minute is over
		db.Exec(
			`delete from api_key_windows where key_id in (select id from api_keys where org_id = $1)`,
			organisation,
		)
	}
	n.logs(organisation, apptest.ChaosSize(1_000, 200_000, 1_000_000))
	// as PostgreSQL does by itself: without it a page of the audit log sorted all entries
	db.Exec(`analyze`)
	n.Child = apptest.ServeDatabase(t, db)
	n.a.Cookies = []string{apptest.SessionOf(t, n.URL, n.a.Emails[0])}
	n.healthy = newHealthy(t, db, n.URL, func(email string) string {
		return apptest.SessionOf(t, n.URL, email)
	})
	hash, err := identity.HashPassword(fixtures.Password, rand.Reader) // at its real cost
	require.NoError(t, err)
	db.Exec(`update users set password_hash = $1 where email = any ($2)`, hash,
		[]string{owner, n.a.Emails[1]})
	n.moreCalls(owner)
	n.a.Cookies = append(n.a.Cookies, n.firstStep(t, organisation))
	n.o = beginChaos(t, apptest.DoorTo(t, db.DirectURL), n.Child)
	return n
}

// firstStep returns the session of a member who has to enter a code.
func (n *neighbours) firstStep(t *testing.T, organisation string) string {
	t.Helper()
	due := n.db.Person(fixtures.Person{TOTPSecret: fixtures.TOTPSecret})
	n.db.Join(organisation, due.ID, "member")
	return apptest.SessionOf(t, n.URL, due.Email)
}

// moreCalls are those of the customer beside the ones of package-wide healthy traffic: a fork, the
// first rows of an export, and signing in, less often.
func (n *neighbours) moreCalls(owner string) {
	fork := n.healthy.calls[0].right
	withKey := func(path string) func() (string, []string) {
		return func() (string, []string) {
			_, key := n.healthy.calls[0].ask()
			return path, key
		}
	}
	n.healthy.calls = append(n.healthy.calls,
		healthyCall{name: "fork", right: fork, ask: withKey("/api/v1/forks/" + fork)},
		healthyCall{
			name:  "export",
			right: "playId,",
			ask:   withKey("/api/v1/forks/" + fork + "/exports/csv" + apptest.LastDays(2)),
		})
	n.signIns = &healthy{
		base:     n.URL,
		interval: 250 * time.Millisecond,
		client:   apptest.PlainClient,
		calls:    []healthyCall{{name: "sign-in"}},
	}
	n.signIns.send = func(c *http.Client) error { return n.signsIn(c, owner) }
}

var errNotSignedIn = errors.New("not signed in")

func (n *neighbours) signsIn(c *http.Client, email string) error {
	stay := *c
	stay.CheckRedirect = func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}
	form := url.Values{"email": {email}, "password": {fixtures.Password}}
	request, err := http.NewRequest(http.MethodPost, n.URL+"/sign-in",
		strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := stay.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusSeeOther ||
		!apptest.SessionCookie.MatchString(
			strings.Join(response.Header.Values("Set-Cookie"), "\n"),
		) {
		return fmt.Errorf("%w: %d", errNotSignedIn, response.StatusCode)
	}
	return nil
}

// rest is a while of the customer's calls.
func (n *neighbours) rest(t *testing.T, lasts time.Duration) (calls, signIns *healthyFigures) {
	t.Helper()
	signIns = n.signIns.during(t, func() {
		calls = n.healthy.during(t, func() { <-time.After(lasts) })
	})
	return calls, signIns
}

// logs makes the organisation's audit log long.
func (n *neighbours) logs(organisation string, entries int) {
	const chunk = 100_000 // a statement has 30 s
	for ; entries > 0; entries -= chunk {
		n.db.Exec(`insert into audit_entries (org_id, actor_kind, actor_id, actor_name, action, target_kind, target_id,
			                           method, path, address, user_agent, request_id)
			select $1, 'person', 'test', 'Test', 'api_key.created', 'api_key', 'none', 'GET',
			  '/long', '127.0.0.1', 'test', 'test-' || i
			  from generate_series(1, $2::int) i`, organisation, min(entries, chunk))
	}
}

// imports adds plays to the largest fork on days that are sealed, a few thousand at a time.
func (n *neighbours) imports(plays int) {
	const chunk = 10_000
	fork := fixtures.Fork{
		ID: n.a.Fork,
		OrganisationID: fixtures.One[string](n.db, `select org_id::text from forks where id = $1`,
			n.a.Fork),
	}
	for ; plays > 0; plays -= chunk {
		n.db.Plays(fork, min(plays, chunk), time.Now().UTC().AddDate(0, 0, -250),
			200*24*time.Hour/chunk)
	}
}
