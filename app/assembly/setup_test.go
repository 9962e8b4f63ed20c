package assembly_test

import (
	"context"
	"dg/app/assembly"
	"dg/platform/authz"
	"dg/platform/testkit/fixtures"
	"dg/platform/testkit/pgtest"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
)

const (
	password      = fixtures.Password
	wrongPassword = "wrong horse battery"
)

// world is the assembled program on a database of its own.
type world struct {
	*pgtest.Database
	store *fixtures.Database
	t     *testing.T
	url   string
	p     *assembly.Program
	ln    net.Listener
	stop  func() error // stops serving; may be called again
	end   func() error // waits until nothing is served; may be called again
}

// grace is how long running requests may take to finish when a world stops.
const grace = time.Second

func start(t *testing.T) *world {
	t.Helper()
	return startWith(t, nil)
}

// startWith starts the program with a policy (nil: its own) and a tracer (none: nothing is traced).
func startWith(t *testing.T, policy *authz.Policy, tracer ...trace.Tracer) *world {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	settings := settingsOn(db)
	settings.Policy = policy
	if len(tracer) > 0 {
		settings.Tracer = tracer[0]
	}
	return startOn(t, db, settings)
}

func settingsOn(db *pgtest.Database) assembly.Settings {
	return assembly.Settings{
		ServingURL: db.URL,
		BaseURL:    "http://127.0.0.1",
		Log:        slog.New(slog.DiscardHandler),
		Grace:      grace,
		Proxies:    []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}
}

func startOn(t *testing.T, db *pgtest.Database, settings assembly.Settings) *world {
	t.Helper()
	p, err := assembly.New(t.Context(), settings)
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, ln, func() {}) }()
	w := &world{
		Database: db,
		store:    fixtures.On(t, db),
		t:        t,
		url:      "http://" + ln.Addr().String(),
		p:        p,
		ln:       ln,
	}
	w.end = sync.OnceValue(func() error { return <-served })
	w.stop = func() error {
		stop()
		return w.end()
	}
	t.Cleanup(func() {
		_ = w.stop()
		p.Close()
	})
	return w
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	w.store.Exec(sql, args...)
}

func one[T any](w *world, sql string, args ...any) T {
	w.t.Helper()
	return fixtures.One[T](w.store, sql, args...)
}

// organisation stores one and returns its id.
func (w *world) organisation(slug string) string {
	return w.store.Organisation(fixtures.Organisation{Slug: slug}).ID
}

// person stores an owner of the organisations and returns the id.
func (w *world) person(email string, organisations ...string) string {
	p := w.store.Person(fixtures.Person{Email: email})
	for _, o := range organisations {
		w.store.Join(o, p.ID, "owner")
	}
	return p.ID
}

// browser is one without scripts: it keeps cookies and follows no redirect.
type browser struct {
	w       *world
	client  *http.Client
	address string // in X-Forwarded-For; "": none
	cookies map[string]string
}

func (w *world) browser() *browser {
	transport := &http.Transport{}
	w.t.Cleanup(transport.CloseIdleConnections)
	return &browser{w: w, cookies: map[string]string{}, client: &http.Client{
		Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
}

func (b *browser) send(method, path string, form url.Values) (*http.Response, string) {
	b.w.t.Helper()
	request, err := http.NewRequestWithContext(b.w.t.Context(), method, b.w.url+path,
		strings.NewReader(form.Encode()))
	require.NoError(b.w.t, err)
	request.Header.Set("Accept", "text/html")
	request.Header.Set("User-Agent", "Firefox")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	if b.address != "" {
		request.Header.Set("X-Forwarded-For", b.address)
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range b.cookies {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	response, err := b.client.Do(request)
	require.NoError(b.w.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(b.w.t, err)
	for _, c := range response.Cookies() {
		b.cookies[c.Name] = c.Value
	}
	return response, string(body)
}

// post fills in the form of a page.
func (b *browser) post(path string, fields ...string) (*http.Response, string) {
	b.w.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return b.send(http.MethodPost, path, form)
}

func (b *browser) signIn(email, password string) int {
	b.w.t.Helper()
	response, _ := b.post("/sign-in", "email", email, "password", password)
	return response.StatusCode
}

// actions returns those of the organisation's log with their reasons, oldest first.
func (w *world) actions(organisation string) []string {
	w.t.Helper()
	return one[[]string](w,
		`select coalesce(array_agg(action || case when reason = '' then '' else ': ' || reason end
			order by at, id), '{}')
		from audit_entries where org_id = $1`, organisation)
}
