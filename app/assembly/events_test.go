package assembly_test

import (
	"context"
	"crypto/rand"
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

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/app/assembly"
	"dg/modules/identity"
	"dg/platform/testkit/pgtest"
)

const (
	password = "correct horse battery"
	wrong    = "wrong horse battery"
)

var passwordHash = sync.OnceValue(func() string {
	hash, err := identity.HashPassword(password, rand.Reader)
	if err != nil {
		panic(err)
	}
	return hash
})

// world is the assembled program on a database of its own.
type world struct {
	*pgtest.Database
	t    *testing.T
	url  string
	p    *assembly.Program
	stop func() error // stops serving; may be called again
}

// grace is how long running answers may finish when a world stops.
const grace = time.Second

func start(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	p, err := assembly.New(t.Context(), assembly.Settings{
		ServingURL: db.URL, BaseURL: "http://127.0.0.1", Log: slog.New(slog.DiscardHandler), Grace: grace,
		Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, ln, func() {}) }()
	w := &world{Database: db, t: t, url: "http://" + ln.Addr().String(), p: p}
	w.stop = sync.OnceValue(func() error { stop(); return <-served })
	t.Cleanup(func() { _ = w.stop(); p.Close() })
	return w
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	_, err := w.Owner.Pool.Exec(w.t.Context(), sql, args...)
	require.NoError(w.t, err)
}

func one[T any](w *world, sql string, args ...any) T {
	w.t.Helper()
	var v T
	require.NoError(w.t, w.Owner.Pool.QueryRow(w.t.Context(), sql, args...).Scan(&v))
	return v
}

// organisation stores one and returns its id.
func (w *world) organisation(slug string) string {
	id := uuid.NewString()
	w.exec(`insert into organisations (id, slug, name, plan, reporting_mode) values ($1, $2, $2, 'pro', 'pseudonymous')`, id, slug)
	return id
}

// person stores an owner of the organisations and returns the id.
func (w *world) person(email string, organisations ...string) string {
	id := uuid.NewString()
	w.exec(`insert into users (id, email, email_key, name, password_hash) values ($1, $2, $2, $2, $3)`, id, email, passwordHash())
	for _, o := range organisations {
		w.exec(`insert into memberships (org_id, user_id, role) values ($1, $2, 'owner')`, o, id)
	}
	return id
}

// browser keeps cookies and follows no redirect.
type browser struct {
	w       *world
	client  *http.Client
	address string // as a proxy names it; "" is the connection's
	cookies map[string]string
}

func (w *world) browser() *browser {
	transport := &http.Transport{}
	w.t.Cleanup(transport.CloseIdleConnections)
	return &browser{w: w, cookies: map[string]string{}, client: &http.Client{
		Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (b *browser) send(method, path string, form url.Values) (*http.Response, string) {
	b.w.t.Helper()
	request, err := http.NewRequestWithContext(b.w.t.Context(), method, b.w.url+path, strings.NewReader(form.Encode()))
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

// actions are those of the organisation's log, oldest first.
func (w *world) actions(organisation string) []string {
	w.t.Helper()
	return one[[]string](w, `select coalesce(array_agg(action || case when reason = '' then '' else ': ' || reason end order by at, id), '{}')
		from audit_entries where org_id = $1`, organisation)
}

// Decisions, "Audit": a sign-in is in the log of each organisation that the person belongs to at that moment, and commits
// with the session: where the entry cannot be written there is no session.
func TestSignInIsInTheLogOfEachOrganisation(t *testing.T) {
	w := start(t)
	acme, globex, other := w.organisation("acme"), w.organisation("globex"), w.organisation("other")
	ann := w.person("ann@acme.example", acme, globex)
	w.person("bob@other.example", other)
	b := w.browser()
	require.Equal(t, http.StatusSeeOther, b.signIn("ann@acme.example", password))
	for _, o := range []string{acme, globex} {
		require.Equal(t, []string{"sign_in"}, w.actions(o))
	}
	require.Empty(t, w.actions(other))
	require.Equal(t, ann+" POST /sign-in 127.0.0.1 Firefox", one[string](w, `select concat_ws(' ', actor_id, method, path, address, user_agent)
		from audit_entries where org_id = $1`, acme))
	require.NotEmpty(t, one[string](w, `select request_id from audit_entries where org_id = $1`, acme))

	sessions := one[int](w, `select count(*) from sessions`)
	w.exec(`alter table audit_entries add constraint full_disk check (false) not valid`)
	require.Equal(t, http.StatusServiceUnavailable, w.browser().signIn("ann@acme.example", password))
	require.Equal(t, sessions, one[int](w, `select count(*) from sessions`))
}

// Decisions, "Audit": a download of the log is in it, before its first byte; HEAD downloads nothing.
func TestDownloadOfTheLogIsInTheLog(t *testing.T) {
	w := start(t)
	acme := w.organisation("acme")
	w.person("ann@acme.example", acme)
	b := w.browser()
	require.Equal(t, http.StatusSeeOther, b.signIn("ann@acme.example", password))
	path := "/o/acme/settings/audit-log.csv?action=sign_in&from=2026-01-01"
	head, _ := b.send(http.MethodHead, path, nil)
	require.Equal(t, http.StatusOK, head.StatusCode)
	require.Equal(t, []string{"sign_in"}, w.actions(acme))
	answer, body := b.send(http.MethodGet, path, nil)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, 2, strings.Count(body, "\n"), "the header and the sign-in: %s", body)
	require.Equal(t, []string{"sign_in", "audit_log.exported"}, w.actions(acme))
	require.Equal(t, `{"from": "2026-01-01", "action": "sign_in"}`, one[string](w, `select details::text from audit_entries where action = 'audit_log.exported'`))

	w.exec(`alter table audit_entries add constraint full_disk check (false) not valid`)
	answer, body = b.send(http.MethodGet, path, nil)
	require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	require.NotContains(t, body, "ann@acme.example,sign_in")
}

// Ends of sessions are in the log of each organisation, with the sign-out as a reason of its own; a sign-in that never got
// its code, or a session that expired, was none. Where the entry cannot be written the session goes on.
func TestSignOutIsRecorded(t *testing.T) {
	w := start(t)
	acme, globex := w.organisation("acme"), w.organisation("globex")
	ann := w.person("ann@acme.example", acme, globex)
	b := w.browser()
	require.Equal(t, http.StatusSeeOther, b.signIn("ann@acme.example", password))
	answer, _ := b.post("/sign-out")
	require.Equal(t, "/sign-in", answer.Header.Get("Location"))
	for _, o := range []string{acme, globex} {
		require.Equal(t, []string{"sign_in", "sessions.ended: signed_out"}, w.actions(o))
	}
	require.Equal(t, ann+" POST /sign-out 127.0.0.1 Firefox", one[string](w, `select concat_ws(' ', actor_id, method, path, address, user_agent)
		from audit_entries where org_id = $1 and reason = 'signed_out'`, acme))

	b = w.browser()
	require.Equal(t, http.StatusSeeOther, b.signIn("ann@acme.example", password))
	w.exec(`alter table audit_entries add constraint full_disk check (false) not valid`)
	answer, _ = b.post("/sign-out")
	require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	require.Equal(t, 1, one[int](w, `select count(*) from sessions`))
}
