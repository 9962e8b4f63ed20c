package chaos

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
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
)

// nthWorld is the assembled program behind a link to its database, with all that the cases need.
type nthWorld struct {
	*fixtures.Database
	t        *testing.T
	link     *link
	p        *assembly.Program
	base     string
	super    *apptest.Door
	query    string              // reads all rows
	before   map[string][]string // all rows as they are before each case, by table
	after    map[string][]string // and as they were last seen
	log      apptest.Buffer
	logged   int                          // bytes of the log before the case
	keys     map[string]string            // tokens by name
	people   map[string]map[string]string // cookies by name
	forks    map[string]string
	groups   map[string]string
	keyID    string // of the key that is changed
	session  string // the id of the owner's session
	other    string // and of another one
	offer    string // the secret that two-step verification is being set up with
	hits     map[fault]int
	restored int
	busy     int // requests that were answered 503 without a fault
	broken   int // answers that broke off
}

func newNthWorld(t *testing.T) *nthWorld {
	return newNthWorldThrough(t, func(w *nthWorld) string { return w.URL })
}

// newNthWorldThrough has the program reach its database through another URL.
func newNthWorldThrough(t *testing.T, through func(w *nthWorld) string) *nthWorld {
	w := &nthWorld{
		Database: fixtures.New(t),
		t:        t,
		hits:     map[fault]int{},
		keys:     map[string]string{},
		people:   map[string]map[string]string{"": {}},
		forks:    map[string]string{},
		groups:   map[string]string{},
	}
	w.fill()
	w.serve(through(w))
	w.signAllIn()
	w.super = apptest.DoorTo(t, w.OwnerURL)
	w.keep()
	return w
}

// The plays of a long file: the first statement of an export reads 500 of them, and its first block
// of 64 KB ends before the rows that come after this many of a statement.
const longPlays = 700
const behindFirstBlock = 450

// fill stores two organisations on the Pro plan, one with names and sealed plays, and one below the
// plan.
func (w *nthWorld) fill() {
	acme := w.organisation("acme", fixtures.Organisation{}, 60)
	long := w.Fork(fixtures.Fork{OrganisationID: acme, Title: "Long fork"})
	w.Plays(long, longPlays, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Hour)
	w.forks["long"] = long.ID
	w.organisation("named", fixtures.Organisation{ReportingMode: "nominative"}, 60)
	w.organisation("below", fixtures.Organisation{Plan: "team"}, 0)
	sealer := sealer.New(w.DB, time.Now, slog.New(slog.DiscardHandler), 10)
	_, err := sealer.Seal(w.t.Context())
	require.NoError(w.t, err)
	for _, p := range []struct{ name, role, secret string }{
		{"owner", "owner", ""}, {"admin", "admin", fixtures.TOTPSecret}, {"plain", "admin", ""},
		{"member", "member", ""}, {"enrolling", "member", ""},
	} {
		person := w.Person(fixtures.Person{Email: p.name + "@acme.example", TOTPSecret: p.secret})
		w.Join(acme, person.ID, p.role)
	}
	w.Exec(
		`insert into recovery_codes (user_id, code_hash) select id, sha256('code') from users
			where totp_secret is not null`,
	)
	w.Exec(`insert into account_resets (user_id, token_hash, expires_at)
		select id, sha256('reset'), now() + interval '1 hour' from users where email = 'admin@acme.example'`)
	narrow := w.Key(acme, "forks:read")
	w.keys["forks only"] = narrow.Token()
	for _, name := range []string{"revoked", "expired", "limited", "limited refusals"} {
		w.keys[name] = w.Key(acme).Token()
	}
	id := func(name string) string { return strings.Split(w.keys[name], "_")[2] }
	w.Exec(`update api_keys set revoked_at = now() - interval '1 hour' where id = any ($1)`,
		[]string{id("revoked"), id("limited refusals")})
	w.Exec(
		`update api_keys set created_at = now() - interval '2 days',
			expires_at = now() - interval '1 day' where id = $1`,
		id("expired"),
	)
	w.Exec(`insert into api_key_windows (key_id, refused, instants)
		select id, refused, array_fill(
			case when id = $1 and not refused or id = $2
			  and refused then now() + interval '20 minutes' else '-infinity' end, array[120])
		  from api_keys, (values (false), (true)) as r (refused)`, id("limited"),
		id("limited refusals"))
	w.keys["unknown"] = fixtures.Key{
		ID:     strings.Repeat("u", 22),
		Secret: strings.Repeat("s", 49),
	}.Token()
	w.keys["wrong secret"] = fixtures.Key{ID: id("acme"), Secret: strings.Repeat("s", 49)}.Token()
	w.keyID = id("acme")
}

// organisation stores one with a fork, plays of twelve players over 20 days, a group that is shown
// and one that is hidden.
func (w *nthWorld) organisation(slug string, o fixtures.Organisation, plays int) string {
	o.Slug = slug
	o = w.Organisation(o)
	players := w.Players(o.ID, 12)
	fork := w.Fork(fixtures.Fork{OrganisationID: o.ID, Title: "Fork of " + slug})
	w.Fork(fixtures.Fork{OrganisationID: o.ID, Title: "Empty fork of " + slug})
	w.Plays(fork, plays, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 8*time.Hour)
	w.forks[slug] = fork.ID
	w.keys[slug] = w.Key(o.ID).Token()
	w.groups[slug] = w.Group(o.ID, players[:7]...)
	w.groups["small "+slug] = w.Group(o.ID, players[:3]...)
	return o.ID
}

func (w *nthWorld) serve(database string) {
	var through string
	w.link, through = newLink(w.t, database)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w.t, err)
	w.base = "http://" + ln.Addr().String()
	w.p, err = assembly.New(w.t.Context(), assembly.Settings{
		ServingURL: through, BaseURL: w.base, Grace: time.Second,
		Log: slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	require.NoError(w.t, err)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- w.p.Serve(ctx, ln, func() {}) }()
	w.t.Cleanup(func() {
		stop()
		<-served
		w.p.Close()
	})
}

// signAllIn signs everybody in. "code" has a session whose code is due.
func (w *nthWorld) signAllIn() {
	for _, name := range []string{"owner", "admin", "plain", "member", "enrolling", "code"} {
		c := apptest.NewWebClient(w.t, w.base)
		email := strings.Replace(name, "code", "admin", 1) + "@acme.example"
		_, next := c.Submit("/sign-in", "email", email, "password", fixtures.Password)
		if name == "admin" {
			_, next = c.Submit("/sign-in/code", "code", apptest.CodeOf(w.t, fixtures.TOTPSecret))
		}
		require.NotEmpty(w.t, next)
		w.people[name] = c.Cookies
	}
	page := &apptest.WebClient{T: w.t, Base: w.base, Cookies: maps.Clone(w.people["owner"])}
	apptest.NewWebClient(w.t, w.base).
		Submit("/sign-in", "email", "owner@acme.example", "password", fixtures.Password)
	rows := regexp.MustCompile(`(This session</small>)?</th>.*name="session" value="(\w+)"`)
	for _, row := range rows.FindAllStringSubmatch(page.Get("/account"), -1) {
		if row[1] != "" {
			w.session = row[2]
		} else {
			w.other = row[2]
		}
	}
	page.Cookies = maps.Clone(w.people["enrolling"])
	w.offer = strings.ReplaceAll(
		regexp.MustCompile(`id="totp">([A-Z2-7 ]+)`).
			FindStringSubmatch(page.Get("/account/two-step"))[1], " ", "",
	)
	require.NotEmpty(w.t, w.session)
	require.NotEmpty(w.t, w.other)
	// so that each use is stored
	w.Exec(`update sessions set last_used_at = last_used_at - interval '5 minutes'`)
	w.Exec(`update users set totp_last_step = null`)
}

// idle waits until the program uses no connection.
func (w *nthWorld) idle() {
	apptest.Until(w.t, 20*time.Second, "connections are in use after the answer", func() bool {
		for _, db := range []*postgres.DB{
			w.p.Pools.Auth, w.p.Pools.Reads, w.p.Pools.Exports, w.p.Pools.Recheck,
		} {
			if db.Pool.Stat().AcquiredConns() > 0 {
				return false
			}
		}
		return true
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
	var form url.Values
	if c.form != nil {
		form = c.form(w)
	}
	request, err := http.NewRequestWithContext(w.t.Context(), c.method(), w.base+c.path,
		strings.NewReader(form.Encode()))
	require.NoError(w.t, err)
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+w.keys[c.key])
	} else if !c.api() {
		request.Header.Set("Accept", "text/html")
		request.Header.Set("Sec-Fetch-Site", "same-origin")
		request.Header.Set("User-Agent", "Firefox")
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range w.people[c.as] {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	cl := apptest.NewClient()
	cl.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := cl.Do(request)
	if err != nil {
		return nthAnswer{broken: true, body: err.Error()}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return nthAnswer{response.StatusCode, response.Header, string(body), err != nil}
}
