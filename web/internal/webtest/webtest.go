// Package webtest serves the screens over a database, for the tests of each wing and of all.
package webtest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/modules/publicapi"
	"dg/modules/reports"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/limit"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
	"dg/web"
	"dg/web/auditlog"
	"dg/web/docs"
	"dg/web/organisation"
	webreports "dg/web/reports"
	"dg/web/ui"
)

// World is a database with one instance of the screens and the API on it, reached over a real
// connection.
type World struct {
	DB      *testkit.World
	People  *identity.Service
	Keys    *apikeys.Service
	Log     *audit.Log
	Figures *reports.Service
	now     func() time.Time
	URL     string
	Logged  tb.Book
}

// Start begins a world without organisations.
func Start(t *testing.T) *World {
	t.Helper()
	return StartOn(t, testkit.New(t), time.Now)
}

// StartAcme begins a world with the organisation "acme".
func StartAcme(t *testing.T) (*World, *Organisation) {
	t.Helper()
	w := Start(t)
	return w, w.Organisation("acme")
}

// StartAsOwner begins a world with the organisation "acme", and signs its owner in.
func StartAsOwner(t *testing.T) (*World, *Organisation, *Browser) {
	t.Helper()
	w, acme := StartAcme(t)
	return w, acme, w.SignedIn(t, acme.Owner)
}

// StartAt begins a world with the organisation "acme", whose clock shows *now.
func StartAt(t *testing.T, now *time.Time) (*World, *Organisation) {
	t.Helper()
	w := StartOn(t, testkit.New(t), func() time.Time { return *now })
	return w, w.Organisation("acme")
}

// StartOn begins one more instance on a database, with a clock, and other modules where a test
// changes them.
func StartOn(
	t *testing.T, db *testkit.World, now func() time.Time, change ...func(*web.Modules),
) *World {
	t.Helper()
	policy, err := authz.New()
	require.NoError(t, err)
	w := &World{DB: db, Log: audit.New(db.DB), now: now}
	orgs := org.New(db.DB, w.Log, policy)
	w.People = identity.New(db.DB, now, identity.Recorder{
		OrganisationsOf: orgs.OrganisationIDsIn,
		Audit:           w.Log,
		Log:             w.Logged.Logger(),
		Failed:          func(string) {},
	}, identity.Keyring{})
	w.Keys = apikeys.New(db.DB, orgs, w.Log, policy, now)
	pool, err := postgres.Open(t.Context(), db.URL,
		postgres.Options{Name: "exports", MaxConns: exports.MaxAtOnce})
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	w.Figures = reports.New(pool)
	files := exports.New(w.Figures, w.Log, nil)
	forks := games.New(db.DB)
	requests := limit.NewRequests(int(db.DB.Pool.Config().MaxConns))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w.URL = "http://" + ln.Addr().String()
	api, err := publicapi.New(publicapi.Modules{
		Keys: w.Keys, Games: forks, Reports: w.Figures, Requests: requests, Exports: files,
		Policy: policy,
	}, w.URL)
	require.NoError(t, err)
	modules := web.Modules{
		Guard: ui.Guard{
			Auth: ui.Cookies{Sessions: w.People, Recheck: w.People}, Orgs: orgs, Policy: policy,
		},
		Requests:     requests,
		Account:      w.People,
		AuditLog:     auditlog.Modules{Log: w.Log, Keys: w.Keys, Forks: forks, Groups: orgs},
		Keys:         w.Keys,
		Organisation: organisation.Modules{Organisations: orgs, People: w.People, Keys: w.Keys},
		Docs:         docs.Modules{Groups: orgs, Forks: forks},
		Reports: webreports.Modules{
			Forks: forks, Groups: orgs, Reports: w.Figures, Exports: files,
		},
	}
	for _, f := range change {
		f(&modules)
	}
	site := web.New(modules, w.URL, now)
	server := httpserver.New(httpserver.Options{
		Logger: w.Logged.Logger(), ErrorPage: site.ErrorPage, Grace: time.Second,
	})
	api.Mount(server.App())
	site.Mount(server.App())
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(ln) })
	t.Cleanup(func() {
		_ = server.Shutdown(context.Background())
		served.Wait()
	})
	return w
}

// Organisation is an organisation with its people: an owner, an admin with two-step verification, an
// admin without it, and a member.
type Organisation struct {
	testkit.Organisation
	Owner, Admin, AdminPlain, Member testkit.Person
}

// Organisation stores an organisation on the Pro plan under pseudonymous reporting, with its
// people.
func (w *World) Organisation(slug string) *Organisation {
	return w.OrganisationOf(testkit.Organisation{Slug: slug, Name: "Organisation " + slug})
}

// OrganisationOf stores an organisation with its people.
func (w *World) OrganisationOf(o testkit.Organisation) *Organisation {
	o = w.DB.Organisation(o)
	human := func(name, role, secret string) testkit.Person {
		p := w.DB.Person(testkit.Person{
			Name: name + " of " + o.Slug, Email: name + "@" + o.Slug + ".example",
			TOTPSecret: secret,
		})
		w.DB.Join(o.ID, p.ID, role)
		return p
	}
	return &Organisation{
		o, human("owner", "owner", ""), human("admin", "admin", testkit.TOTPSecret),
		human("admin-plain", "admin", ""), human("member", "member", ""),
	}
}

// Rename gives a person another name.
func (w *World) Rename(p *testkit.Person, name string) {
	p.Name = name
	w.DB.Exec(`update users set name = $1 where id = $2`, name, p.ID)
}

// Fork stores a fork that the organisation's players can play.
func (w *World) Fork(o *Organisation) testkit.Fork {
	return w.DB.Fork(testkit.Fork{
		OrganisationID: o.ID, Title: "Prompting at the dock", Visibility: "organization",
		Release: 1,
	})
}

// Played stores a fork that was played once, yesterday, and returns its id.
func (w *World) Played(o *Organisation) string {
	fork := w.Fork(o)
	yesterday := time.Now().AddDate(0, 0, -1)
	w.DB.Play(testkit.Play{
		Fork: fork, Player: w.DB.Players(o.ID, 1)[0], StartedAt: yesterday,
		CompletedAt: yesterday, Score: 5000,
	})
	return fork.ID
}

// Browser is a client that keeps cookies, follows no redirect and runs no script.
type Browser struct {
	T       *testing.T
	URL     string
	Client  *http.Client
	Cookies map[string]string
}

// Browser returns a browser without cookies.
func (w *World) Browser(t *testing.T) *Browser {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &Browser{T: t, URL: w.URL, Cookies: map[string]string{}, Client: &http.Client{
		Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
}

// SignedIn returns a browser with which the person has signed in.
func (w *World) SignedIn(t *testing.T, p testkit.Person) *Browser {
	t.Helper()
	b := w.Browser(t)
	session, err := w.People.SignIn(t.Context(), p.Email, testkit.Password, "")
	require.NoError(t, err)
	if p.TOTPSecret != "" {
		session, err = w.People.VerifySecondStep(t.Context(), session.Token,
			w.CodeNow(t, p.TOTPSecret))
		require.NoError(t, err)
	}
	b.Cookies["__Host-dg"] = session.Token
	return b
}

// Page is an answer.
type Page struct {
	*http.Response
	Body string
}

// Is requires the status of the answer.
func (p Page) Is(t *testing.T, status int) Page {
	t.Helper()
	require.Equal(t, status, p.StatusCode, "%s: %s", p.Request.URL, p.Body)
	return p
}

// Has requires each of the texts in the page.
func (p Page) Has(t *testing.T, texts ...string) Page {
	t.Helper()
	for _, text := range texts {
		require.Contains(t, p.Body, text, p.Request.URL)
	}
	return p
}

// Lacks requires that none of the texts is in the page.
func (p Page) Lacks(t *testing.T, texts ...string) Page {
	t.Helper()
	for _, text := range texts {
		require.NotContains(t, p.Body, text, p.Request.URL)
	}
	return p
}

// FromHere is the header of a link or form of the site itself.
var FromHere = http.Header{"Sec-Fetch-Site": {"same-origin"}}

// Get follows a link to a path.
func (b *Browser) Get(path string) Page {
	b.T.Helper()
	return b.Send(http.MethodGet, path, "", FromHere)
}

// Post sends a form from a page of the site.
func (b *Browser) Post(path string, form url.Values) Page {
	b.T.Helper()
	return b.Send(http.MethodPost, path, form.Encode(), FromHere)
}

// Send sends a request with the cookies of the browser, and keeps those of the answer.
func (b *Browser) Send(method, path, body string, header http.Header) Page {
	b.T.Helper()
	request, err := http.NewRequestWithContext(b.T.Context(), method, b.URL+path,
		strings.NewReader(body))
	require.NoError(b.T, err)
	request.Header.Set("Accept", "text/html,application/xhtml+xml")
	if body != "" {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	maps.Copy(request.Header, header)
	for name, value := range b.Cookies {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	response, err := b.Client.Do(request)
	require.NoError(b.T, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(b.T, err)
	for _, c := range response.Cookies() {
		require.True(b.T, c.Secure && c.HttpOnly && c.Path == "/" && c.Domain == "" &&
			c.SameSite == http.SameSiteLaxMode, "cookie %s", c.Name)
		if b.Cookies[c.Name] = c.Value; c.MaxAge < 0 || c.Value == "" {
			delete(b.Cookies, c.Name)
		}
	}
	return Page{response, string(text)}
}

// At is the address of a screen of the organisation.
func (o *Organisation) At(format string, args ...any) string {
	return "/o/" + url.PathEscape(o.Slug) + fmt.Sprintf(format, args...)
}

// RegexpFind returns what the pattern's group finds.
func RegexpFind(t *testing.T, pattern, text string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	require.NotNil(t, found, "no %s in:\n%s", pattern, text)
	return found[1]
}
