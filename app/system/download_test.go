package system

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

	"dg/app/apptest"
	"dg/modules/identity"
	"dg/platform/testkit/browsertest"
)

// downloads is the demo with the addresses of two downloads and of their screens.
type downloads struct {
	*apptest.Child
	db          *apptest.Door
	plays, log  string            // screens
	screens     map[string]string // by the address of the file
	entriesThen int
}

func newDownloads(t *testing.T) *downloads {
	t.Helper()
	dir := apptest.NewFolder(t)
	d := &downloads{
		Child: apptest.ServeOn(t, dir, "--demo"),
		db:    apptest.OpenDoor(t, dir),
		log:   "/o/harbour-and-vale/settings/audit-log",
	}
	d.plays = "/o/harbour-and-vale/reports/" +
		apptest.Read[string](t, d.db,
			`select id::text from forks where slug = 'prompting-at-the-dock'`)
	d.screens = map[string]string{
		d.plays + "/plays.csv?from=2026-11-01&to=2026-11-07": d.plays +
			"?from=2026-11-01&to=2026-11-07",
		d.log + ".csv?action=api_key.created": d.log + "?action=api_key.created",
	}
	d.entriesThen = d.entries(t)
	return d
}

// entries is how many downloads the audit log has.
func (d *downloads) entries(t *testing.T) int {
	t.Helper()
	return apptest.Read[int](t, d.db,
		`select count(*) from audit_entries where action like '%export%'`)
}

// A link on another site or in a mail, which the reader may not even see, starts no download in the
// reader's name: 403, a page that leads to the screen, and no entry in the audit log.
func TestDownloadFromElsewhereIsRejected(t *testing.T) {
	t.Parallel()
	d := newDownloads(t)
	cookies := apptest.CookiesOf(t, d.URL, "maren@harbour.example.com",
		apptest.DemoAccount(t, "maren@harbour.example.com").Password)
	for file, screen := range d.screens {
		for name, headers := range map[string][]string{
			"another site":                {"Sec-Fetch-Site", "cross-site"},
			"another port or a subdomain": {"Sec-Fetch-Site", "same-site"},
			"a mail, or typed by hand":    {"Sec-Fetch-Site", "none"},
			"an older browser elsewhere":  {"Referer", "https://evil.example/" + d.URL},
			"no header":                   {},
		} {
			answer := apptest.Ask(t, apptest.NewClient(), d.URL+file, "",
				append(headers, "Cookie", cookies, "Accept", "text/html")...)
			require.Equal(t, http.StatusForbidden, answer.StatusCode, "%s from %s", file, name)
			body := apptest.ReadAll(t, answer)
			require.Contains(t, body, "Nothing was downloaded", name)
			require.Contains(t, body,
				fmt.Sprintf(`href="%s"`, strings.ReplaceAll(screen, "&", "&amp;")), name)
		}
		answer := apptest.Ask(t, apptest.NewClient(), d.URL+file, "", "Sec-Fetch-Site",
			"cross-site")
		require.Equal(t, http.StatusForbidden, answer.StatusCode, "signed out")
	}
	require.Equal(t, d.entriesThen, d.entries(t))
}

// The sign-in continues to the screen, not to the file: a link from elsewhere does not start a
// download.
func TestSignInContinuesToTheScreenOfADownload(t *testing.T) {
	t.Parallel()
	d := newDownloads(t)
	for file, screen := range d.screens {
		answer := apptest.Ask(t, apptest.WithoutRedirects(), d.URL+file, "", "Sec-Fetch-Site",
			"same-origin")
		require.Equal(t, "/sign-in?"+url.Values{"next": {screen}}.Encode(),
			answer.Header.Get("Location"))
	}
}

func TestBrowserDownloadsFromTheScreenOnly(t *testing.T) {
	t.Parallel()
	d := newDownloads(t)
	p := browsertest.New(t)
	p.AllowError("status of 403")
	signIn(t, p, d.Child, apptest.DemoAccount(t, "maren@harbour.example.com"), "/reports")
	for file := range d.screens {
		evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w,
				`<!doctype html><link rel="icon" href="data:,"><a href="%s%s">Kittens</a>`, d.URL,
				strings.ReplaceAll(file, "&", "&amp;"))
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
		p.Open(d.URL + screen)
		var status int
		p.Eval(`fetch(((form) => form ? form.action + '?' + new URLSearchParams(new FormData(form)) : document.querySelector('.head a.btn').href)(
			document.querySelector('.download'))).then((r) => r.status)`, &status)
		require.Equal(t, http.StatusOK, status, screen)
	}
	require.Greater(t, d.entries(t), d.entriesThen)
}

// A download of the audit log ends within two seconds when the database falls silent, and does not
// look like a whole file.
func TestAuditDownloadEndsWhenTheDatabaseFallsSilent(t *testing.T) {
	t.Parallel()
	e, r := overRelay(t, 10)
	const email = "owner@acme.example"
	const password = "correct horse battery"
	hash, err := identity.HashPassword(password, rand.Reader)
	require.NoError(t, err)
	e.Do(t, `with person as (
			insert into users (id, email, email_key, name, password_hash)
			  values (gen_random_uuid(), $1, $1, 'Owner', $2) returning id)
		insert into memberships (org_id, user_id, role) select o.id, person.id, 'owner' from organisations o, person`,
		email, hash)
	e.Do(t,
		`insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action,
			target_kind, target_id, reason, method, path, address, user_agent, request_id)
		select id, now(), 'key', 'k', 'K', 'api_key.refused', '', '', 'plan', 'GET', repeat('p',
		  300), '192.0.2.1', repeat('u', 250), 'request-' || n
		from organisations, generate_series(1, 60000) n`)
	slug := apptest.Read[string](t, e.Door, `select slug from organisations`)
	answer := apptest.Ask(t, apptest.NewClient(), e.URL+"/o/"+slug+"/settings/audit-log.csv", "",
		"Sec-Fetch-Site", "same-origin",
		"Cookie", apptest.CookiesOf(t, e.URL, email, password))
	require.Equal(t, http.StatusOK, answer.StatusCode)
	_, err = io.CopyN(io.Discard, answer.Body, 64<<10)
	require.NoError(t, err)
	r.Open.Lock()
	defer r.Open.Unlock()
	silent := time.Now()
	_, err = io.Copy(io.Discard, answer.Body)
	took := time.Since(silent)
	require.Error(t, err, "the file is not whole")
	t.Logf("the reader heard %s after the database fell silent", took.Round(time.Millisecond))
	require.Less(t, took, 3*time.Second) // two, and what a loaded machine adds
}
