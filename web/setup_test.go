package web_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/postgres"
	"dg/platform/testkit/fixtures"
	"dg/web"
	"dg/web/account"
	"dg/web/auditlog"
	"dg/web/keys"
	weborganisation "dg/web/organisation"
	webreports "dg/web/reports"
)

// world is a database with one instance of the screens on it, reached over a real connection.
type world struct {
	db      *fixtures.Database
	people  *identity.Service
	screens *identity.Service // what the screens use
	keys    *apikeys.Service
	log     *audit.Log
	figures *reports.Service
	files   *exports.Service
	orgs    *org.Service
	now     func() time.Time
	url     string
	logged  *logbook
}

// logbook is what the program has logged.
type logbook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start begins a world without organisations.
func start(t *testing.T) *world {
	t.Helper()
	return startOn(t, fixtures.New(t), time.Now)
}

// startOn begins one more instance on a database, with a clock.
func startOn(t *testing.T, db *fixtures.Database, now func() time.Time) *world {
	t.Helper()
	policy, err := authz.New()
	require.NoError(t, err)
	w := &world{db: db, log: audit.New(db.DB), now: now, logged: &logbook{}}
	orgs := org.New(db.DB, w.log, policy)
	// Whom a test signs in beforehand leaves no entry: the log holds what the test does.
	w.people = identity.New(db.DB, now, identity.Auditor{Memberships: noOrganisations{}, Log: w.log, UnknownEmail: func() {}}, slog.New(slog.DiscardHandler))
	people := identity.New(db.DB, now, identity.Auditor{Memberships: orgs, Log: w.log, UnknownEmail: func() {}}, slog.New(slog.NewTextHandler(w.logged, nil)))
	w.orgs, w.screens = orgs, people
	w.keys = apikeys.New(db.DB, orgs, w.log, policy, now, func() {})

	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w.url = "http://" + ln.Addr().String()
	pool, err := postgres.Open(t.Context(), db.URL, postgres.Options{Name: "exports", MaxConns: exports.MaxAtOnce})
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	w.figures = reports.New(db.DB, pool)
	w.files = exports.New(w.figures, w.log)
	forks := games.New(db.DB)
	site, err := web.New(web.Modules{
		Identity: people, Orgs: orgs, Policy: policy,
		Account:      account.Modules{SignIns: people, Resets: people, Accounts: people, TwoStep: people},
		AuditLog:     auditlog.Modules{Log: w.log, Keys: w.keys, Forks: forks, Groups: orgs},
		Keys:         keys.Modules{Keys: w.keys, Changes: w.keys, Forks: forks},
		Organisation: weborganisation.Modules{Organisations: orgs, People: people, Keys: w.keys, Forks: forks},
		Reports:      webreports.Modules{Forks: forks, Groups: orgs, Reports: w.figures, Exports: w.files},
	}, w.url, now)
	require.NoError(t, err)
	server := httpserver.New(httpserver.Options{
		Logger: slog.New(slog.NewTextHandler(w.logged, nil)), Unavailable: postgres.Unavailable, Grace: time.Second, ErrorPage: site.ErrorPage,
	})
	site.Mount(server.App())
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(ln) })
	t.Cleanup(func() {
		_ = server.Shutdown(context.Background())
		served.Wait()
	})
	return w
}

// noOrganisations is nobody's membership.
type noOrganisations struct{}

// OrganisationsOf returns none.
func (noOrganisations) OrganisationsOf(*gorm.DB, string) ([]string, error) {
	return nil, nil
}

// OrganisationNamesOf returns none.
func (noOrganisations) OrganisationNamesOf(context.Context, string) ([]string, error) {
	return nil, nil
}

// organisation is one of a test, with its people: an owner, an admin with and one without two-step verification, and a
// member.
type organisation struct {
	fixtures.Organisation
	owner, admin, adminPlain, member fixtures.Person
}

// organisation stores an organisation on the Pro plan under pseudonymous reporting, with its people.
func (w *world) organisation(slug string) *organisation {
	return w.organisationOf(fixtures.Organisation{Slug: slug, Name: "Organisation " + slug})
}

// organisationOf stores an organisation with its people.
func (w *world) organisationOf(o fixtures.Organisation) *organisation {
	o = w.db.Organisation(o)
	human := func(name, role, secret string) fixtures.Person {
		p := w.db.Person(fixtures.Person{Name: name + " of " + o.Slug, Email: name + "@" + o.Slug + ".example", TOTPSecret: secret})
		w.db.Join(o.ID, p.ID, role)
		return p
	}
	return &organisation{o, human("owner", "owner", ""), human("admin", "admin", fixtures.TOTPSecret), human("admin-plain", "admin", ""), human("member", "member", "")}
}

// rename gives a person another name.
func (w *world) rename(p *fixtures.Person, name string) {
	p.Name = name
	w.db.Exec(`update users set name = $1 where id = $2`, name, p.ID)
}

// fork stores a fork that the organisation's players can play.
func (w *world) fork(o *organisation) fixtures.Fork {
	return w.db.Fork(fixtures.Fork{OrganisationID: o.ID, Title: "Prompting at the dock", Visibility: "organization", Release: 1})
}

// played stores a fork that was played once, now, and returns its id.
func (w *world) played(o *organisation) string {
	fork := w.fork(o)
	w.db.Play(fixtures.Play{Fork: fork, Player: w.db.Players(o.ID, 1)[0], StartedAt: time.Now(), CompletedAt: time.Now(), Score: 5000})
	return fork.ID
}

// browser is somebody's browser without a window: it keeps cookies and follows no redirect.
type browser struct {
	t       *testing.T
	url     string
	client  *http.Client
	cookies map[string]string
}

// browser returns one that nobody has signed in with.
func (w *world) browser(t *testing.T) *browser {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &browser{t: t, url: w.url, cookies: map[string]string{}, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// signedIn returns a browser with which the person has signed in.
func (w *world) signedIn(t *testing.T, p fixtures.Person) *browser {
	t.Helper()
	b := w.browser(t)
	session, err := w.people.SignIn(t.Context(), p.Email, fixtures.Password, identity.Client{Address: "192.0.2.1", UserAgent: "test"})
	require.NoError(t, err)
	if p.TOTPSecret != "" {
		// The step of the last code does not count twice: a test that signs in again starts afresh.
		w.db.Exec(`update users set totp_last_step = 0 where id = $1`, p.ID)
		code, err := totp.GenerateCode(p.TOTPSecret, w.now())
		require.NoError(t, err)
		session, err = w.people.VerifySecondStep(t.Context(), session.Token, code)
		require.NoError(t, err)
	}
	b.cookies["__Host-dg"] = session.Token
	return b
}

// page is an answer.
type page struct {
	*http.Response
	body string
}

// fromHere is what a browser says of a link or form of the site itself.
var fromHere = http.Header{"Sec-Fetch-Site": {"same-origin"}}

// get follows a link to a path.
func (b *browser) get(path string) page {
	b.t.Helper()
	return b.send(http.MethodGet, path, "", fromHere)
}

// post sends a form from a page of the site.
func (b *browser) post(path string, form url.Values) page {
	b.t.Helper()
	return b.send(http.MethodPost, path, form.Encode(), fromHere)
}

func (b *browser) send(method, path, body string, header http.Header) page {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(body))
	require.NoError(b.t, err)
	request.Header.Set("Accept", "text/html,application/xhtml+xml")
	if body != "" {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	maps.Copy(request.Header, header)
	for name, value := range b.cookies {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	response, err := b.client.Do(request)
	require.NoError(b.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(b.t, err)
	for _, c := range response.Cookies() {
		require.True(b.t, c.Secure && c.HttpOnly && c.Path == "/" && c.Domain == "", "cookie %s", c.Name)
		if b.cookies[c.Name] = c.Value; c.MaxAge < 0 || c.Value == "" {
			delete(b.cookies, c.Name)
		}
	}
	return page{response, string(text)}
}

// at is the address of a screen of the organisation.
func (o *organisation) at(format string, args ...any) string {
	return "/o/" + url.PathEscape(o.Slug) + fmt.Sprintf(format, args...)
}

// regexpFind returns what the pattern's group finds.
func regexpFind(t *testing.T, pattern, text string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	require.NotNil(t, found, "no %s in:\n%s", pattern, text)
	return found[1]
}

// newIdempotencyKey is what a form holds against being sent twice.
func newIdempotencyKey() string { return uuid.NewString() }
