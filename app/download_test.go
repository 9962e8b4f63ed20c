package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/testkit/browsertest"
)

// cookiesOf signs a person in without a browser and returns the cookies.
func cookiesOf(t *testing.T, base, email, password string) string {
	t.Helper()
	form := url.Values{"email": {email}, "password": {password}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/sign-in", strings.NewReader(form.Encode()))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := withoutRedirects().Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusSeeOther, response.StatusCode)
	var all []string
	for _, cookie := range response.Cookies() {
		all = append(all, cookie.Name+"="+cookie.Value)
	}
	return strings.Join(all, "; ")
}

func withoutRedirects() *http.Client {
	c := client()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// downloads is the demo with the addresses of two downloads and of their screens.
type downloads struct {
	*child
	db          *door
	plays, log  string            // screens
	screens     map[string]string // by the address of the file
	entriesThen int
}

func newDownloads(t *testing.T) *downloads {
	t.Helper()
	dir := newFolder(t)
	d := &downloads{child: serveOn(t, dir, "--demo"), db: openDoor(t, dir), log: "/o/harbour-and-vale/settings/audit-log"}
	d.plays = "/o/harbour-and-vale/reports/" + read[string](t, d.db, `select id::text from forks where slug = 'prompting-at-the-dock'`)
	d.screens = map[string]string{
		d.plays + "/plays.csv?from=2026-11-01&to=2026-11-07": d.plays + "?from=2026-11-01&to=2026-11-07",
		d.log + ".csv?action=api_key.created":                d.log + "?action=api_key.created",
	}
	d.entriesThen = d.entries(t)
	return d
}

// entries is how many downloads the audit log has.
func (d *downloads) entries(t *testing.T) int {
	t.Helper()
	return read[int](t, d.db, `select count(*) from audit_entries where action like '%export%'`)
}

// A link on another site or in a mail, which the reader may not even see, starts no download in the reader's name: 403, a page that
// leads to the screen, and no entry in the audit log.
func TestDownloadFromElsewhereIsRejected(t *testing.T) {
	t.Parallel()
	d := newDownloads(t)
	cookies := cookiesOf(t, d.url, "maren@harbour.example.com", demoAccount(t, "maren@harbour.example.com").Password)
	for file, screen := range d.screens {
		for name, headers := range map[string][]string{
			"another site":                {"Sec-Fetch-Site", "cross-site"},
			"another port or a subdomain": {"Sec-Fetch-Site", "same-site"},
			"a mail, or typed by hand":    {"Sec-Fetch-Site", "none"},
			"an older browser elsewhere":  {"Referer", "https://evil.example/" + d.url},
			"no header":                   {},
		} {
			answer := ask(t, client(), d.url+file, "", append(headers, "Cookie", cookies, "Accept", "text/html")...)
			require.Equal(t, http.StatusForbidden, answer.StatusCode, "%s from %s", file, name)
			body := readAll(t, answer)
			require.Contains(t, body, "Nothing was downloaded", name)
			require.Contains(t, body, fmt.Sprintf(`href="%s"`, strings.ReplaceAll(screen, "&", "&amp;")), name)
		}
		answer := ask(t, client(), d.url+file, "", "Sec-Fetch-Site", "cross-site")
		require.Equal(t, http.StatusForbidden, answer.StatusCode, "signed out")
	}
	require.Equal(t, d.entriesThen, d.entries(t))
}

// The sign-in continues to the screen, not to the file: a link from elsewhere does not start a download.
func TestSignInContinuesToTheScreenOfADownload(t *testing.T) {
	t.Parallel()
	d := newDownloads(t)
	for file, screen := range d.screens {
		answer := ask(t, withoutRedirects(), d.url+file, "", "Sec-Fetch-Site", "same-origin")
		require.Equal(t, "/sign-in?"+url.Values{"next": {screen}}.Encode(), answer.Header.Get("Location"))
	}
}

func TestBrowserDownloadsFromTheScreenOnly(t *testing.T) {
	t.Parallel()
	d := newDownloads(t)
	p := browsertest.New(t)
	p.AllowError("status of 403")
	signIn(t, p, d.child, demoAccount(t, "maren@harbour.example.com"), "/reports")
	for file := range d.screens {
		evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, `<!doctype html><link rel="icon" href="data:,"><a href="%s%s">Kittens</a>`, d.url, strings.ReplaceAll(file, "&", "&amp;"))
		}))
		t.Cleanup(evil.Close)
		p.Open(strings.Replace(evil.URL, "127.0.0.1", "localhost", 1))
		p.Click("a")
		require.Equal(t, http.StatusForbidden, p.Status())
		require.Equal(t, "Nothing was downloaded", p.Text("h1"))
		require.Equal(t, d.entriesThen, d.entries(t))
		p.Click("main a.btn") // to the screen
		require.Equal(t, http.StatusOK, p.Status())
	}
	for _, screen := range []string{d.plays, d.log} {
		p.Open(d.url + screen)
		var status int
		p.Eval(`fetch(((form) => form ? form.action + '?' + new URLSearchParams(new FormData(form)) : document.querySelector('.head a.btn').href)(
			document.querySelector('.download'))).then((r) => r.status)`, &status)
		require.Equal(t, http.StatusOK, status, screen)
	}
	require.Greater(t, d.entries(t), d.entriesThen)
}

// A download of the audit log ends within two seconds when the database falls silent, and does not look like a whole file.
func TestAuditDownloadEndsWhenTheDatabaseFallsSilent(t *testing.T) {
	t.Parallel()
	e, r := overRelay(t, 10)
	const email, password = "owner@acme.example", "correct horse battery"
	hash, err := identity.HashPassword(password, rand.Reader)
	require.NoError(t, err)
	e.exec(t, `with person as (
			insert into users (id, email, email_key, name, password_hash) values (gen_random_uuid(), $1, $1, 'Owner', $2) returning id)
		insert into memberships (org_id, user_id, role) select o.id, person.id, 'owner' from organisations o, person`, email, hash)
	e.exec(t, `insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action, target_kind, target_id, reason, method, path, address, user_agent, request_id)
		select id, now(), 'key', 'k', 'K', 'api_key.refused', '', '', 'plan', 'GET', repeat('p', 300), '192.0.2.1', repeat('u', 250), 'request-' || n
		from organisations, generate_series(1, 60000) n`)
	slug := read[string](t, e.door, `select slug from organisations`)
	answer := ask(t, client(), e.url+"/o/"+slug+"/settings/audit-log.csv", "", "Sec-Fetch-Site", "same-origin",
		"Cookie", cookiesOf(t, e.url, email, password))
	require.Equal(t, http.StatusOK, answer.StatusCode)
	_, err = io.CopyN(io.Discard, answer.Body, 64<<10)
	require.NoError(t, err)
	r.open.Lock()
	defer r.open.Unlock()
	silent := time.Now()
	_, err = io.Copy(io.Discard, answer.Body)
	took := time.Since(silent)
	require.Error(t, err, "the file is not whole")
	t.Logf("the reader heard %s after the database fell silent", took.Round(time.Millisecond))
	require.Less(t, took, 3*time.Second) // two, and what a loaded machine adds
}

func readAll(t *testing.T, response *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}
