package chaos

import (
	"io"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/modules/reports/sealer"
	"dg/platform/postgres"
	"dg/platform/testkit/fixtures"
	"dg/platform/testkit/logbook"
)

// nthWorld is the assembled program behind a link to its database, with the data of the cases.
type nthWorld struct {
	*apptest.Assembled
	t      *testing.T
	db     *fixtures.Database
	link   *link
	super  *apptest.AdminDB
	query  string              // reads all rows
	before map[string][]string // all rows as they are before each case, by table
	after  map[string][]string // and as they were last seen
	log    logbook.Book
	keys   map[string]string            // tokens by name
	people map[string]map[string]string // cookies by name
	forks  map[string]string
	groups map[string]string
	keyID  string // of the key that is changed
	offer  string // the secret that two-step verification is being set up with

	hits     map[fault]int
	restored int
	busy     int // requests that were answered 503 without a fault
	broken   int // answers that broke off
}

// newNthWorld stores the data of the cases, and serves it. r records the statements, or is nil.
func newNthWorld(t *testing.T, r *recorder, furnish ...func(w *nthWorld)) *nthWorld {
	w := &nthWorld{
		t:      t,
		db:     fixtures.New(t),
		hits:   map[fault]int{},
		keys:   map[string]string{},
		people: map[string]map[string]string{"-": {}},
		forks:  map[string]string{},
		groups: map[string]string{},
	}
	w.fill()
	for _, more := range furnish {
		more(w)
	}
	settings := assembly.Settings{
		Log: slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	w.link, settings.ServingURL = newLink(t, w.db.URL, r)
	w.Assembled = apptest.Assemble(t, w.db, settings)
	w.signAllIn()
	w.super = apptest.AdminDBAt(t, w.db.OwnerURL)
	w.keep()
	return w
}

// The first statement of an export reads 500 of the long file's plays. Its first block of 64 KB
// ends before row behindFirstBlock.
const longPlays = 700
const behindFirstBlock = 450

// fill stores two organisations on the Pro plan, one with names and sealed plays, and one below the
// plan.
func (w *nthWorld) fill() {
	march := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	acme := w.organisation("acme", fixtures.Organisation{}, 60)
	longFork := w.db.Fork(fixtures.Fork{OrganisationID: acme, Title: "Long fork"})
	w.db.Plays(longFork, longPlays, march, time.Hour)
	w.forks["long"] = longFork.ID
	w.organisation("named", fixtures.Organisation{ReportingMode: "nominative"}, 60)
	w.organisation("below", fixtures.Organisation{Plan: "team"}, 0)
	_, err := newSealer(w.db.DB).Seal(w.t.Context())
	require.NoError(w.t, err)
	for _, p := range []struct{ name, role, secret string }{
		{"owner", "owner", ""}, {"admin", "admin", fixtures.TOTPSecret}, {"plain", "admin", ""},
		{"member", "member", ""}, {"enrolling", "member", ""},
	} {
		person := w.db.Person(fixtures.Person{Email: p.name + "@acme.example", TOTPSecret: p.secret})
		w.db.Join(acme, person.ID, p.role)
	}
	w.db.Exec(`insert into recovery_codes (user_id, code_hash)
		select id, sha256('code') from users where totp_secret is not null`)
	w.db.Exec(`insert into account_resets (user_id, token_hash, expires_at) select id,
		sha256('reset'), now() + interval '1 hour' from users where email = 'admin@acme.example'`)
	w.keys["forks-only"] = w.db.Key(acme, "forks:read").Token()
	for _, name := range []string{"revoked", "expired", "limited", "limited-refusals"} {
		w.keys[name] = w.db.Key(acme).Token()
	}
	id := func(name string) string { return strings.Split(w.keys[name], "_")[2] }
	w.db.Exec(`update api_keys set revoked_at = now() - interval '1 hour' where id = any ($1)`,
		[]string{id("revoked"), id("limited-refusals")})
	w.db.Exec(`update api_keys set (created_at, expires_at) =
		(now() - interval '2 days', now() - interval '1 day') where id = $1`, id("expired"))
	w.db.Exec(`insert into api_key_windows (key_id, refused, instants)
		select id, refused, array_fill(
			case when id = $1 and not refused or id = $2
			  and refused then now() + interval '20 minutes' else '-infinity' end, array[120])
		  from api_keys, (values (false), (true)) as r (refused)`, id("limited"),
		id("limited-refusals"))
	none := strings.Repeat("s", 49)
	w.keys["unknown"] = fixtures.Key{ID: strings.Repeat("u", 22), Secret: none}.Token()
	w.keys["wrong-secret"] = fixtures.Key{ID: id("acme"), Secret: none}.Token()
	w.keyID = id("acme")
}

// newSealer seals the forks of the world.
func newSealer(db *postgres.DB) *sealer.Sealer {
	return sealer.New(db, time.Now, slog.New(slog.DiscardHandler), 10)
}

// organisation stores an organisation with a fork, plays of twelve players over 20 days, a shown
// group and a hidden group.
func (w *nthWorld) organisation(slug string, o fixtures.Organisation, plays int) string {
	o.Slug = slug
	o = w.db.Organisation(o)
	players := w.db.Players(o.ID, 12)
	fork := w.db.Fork(fixtures.Fork{OrganisationID: o.ID, Title: "Fork of " + slug})
	w.db.Fork(fixtures.Fork{OrganisationID: o.ID, Title: "Empty fork of " + slug})
	w.db.Plays(fork, plays, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 8*time.Hour)
	w.forks[slug] = fork.ID
	w.keys[slug] = w.db.Key(o.ID).Token()
	w.groups[slug] = w.db.Group(o.ID, players[:8]...)
	w.groups["small "+slug] = w.db.Group(o.ID, players[:3]...)
	return o.ID
}

var offeredSecret = regexp.MustCompile(`id="totp">([A-Z2-7 ]+)`)

// signAllIn signs all people in. "code" has a session whose code is due.
func (w *nthWorld) signAllIn() {
	for _, name := range []string{"owner", "admin", "plain", "member", "enrolling", "code"} {
		c := apptest.NewWebClient(w.t, w.Base)
		email := strings.Replace(name, "code", "admin", 1) + "@acme.example"
		_, next := c.Submit("/sign-in", "email", email, "password", fixtures.Password)
		if name == "admin" {
			_, next = c.Submit("/sign-in/code", "code", apptest.CodeOf(w.t, fixtures.TOTPSecret))
		}
		require.NotEmpty(w.t, next)
		w.people[name] = c.Cookies
	}
	page := &apptest.WebClient{
		T: w.t, Base: w.Base, Cookies: maps.Clone(w.people["enrolling"]),
	}
	offer := offeredSecret.FindStringSubmatch(page.Get("/account/two-step"))
	w.offer = strings.ReplaceAll(offer[1], " ", "")
	// so that each use is stored
	w.db.Exec(`update sessions set last_used_at = last_used_at - interval '5 minutes'`)
	w.db.Exec(`update users set totp_last_step = null`)
}

// idle waits until the program uses no connection and no place of a limiter.
func (w *nthWorld) idle() {
	apptest.Until(w.t, 20*time.Second, "connections are in use after the answer", func() bool {
		used := int32(0)
		for _, db := range []*postgres.DB{
			w.Pools.Requests, w.Pools.Snapshots, w.Pools.Recheck,
		} {
			used += db.Pool.Stat().AcquiredConns()
		}
		return used == 0 && w.Value("dg_work_running") == 0
	})
}

// nthAnswer is what a client has seen.
type nthAnswer struct {
	status int
	header http.Header
	body   string
	broken bool // the body broke off
}

// send sends the request of a case.
func (w *nthWorld) send(c nthCase) nthAnswer {
	headers := []string{"Accept", "text/html", "User-Agent", "Firefox"}
	key, isKey := strings.CutPrefix(c.who, "key:")
	if isKey {
		headers = []string{"Authorization", "Bearer " + w.keys[key]}
	}
	request := newRequest(w.Base+c.path, c.values(w), headers)
	request.Method = c.verb
	for name, value := range w.people[c.who] {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	response, err := apptest.WithoutRedirects().Do(request)
	if err != nil {
		return nthAnswer{broken: true, body: err.Error()}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return nthAnswer{response.StatusCode, response.Header, string(body), err != nil}
}
