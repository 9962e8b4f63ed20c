package system

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/browsertest"
)

// A link on another site or in a mail starts no download in the reader's name: the answer is 403
// and a page that leads to the screen, and the audit log has no entry. The sign-in continues to the
// screen, not to the file. A download from the screen works.
func TestDownloadFromElsewhereIsRejected(t *testing.T) {
	t.Parallel()
	d := serveDemo(t)
	const log = "/o/harbour-and-vale/settings/audit-log"
	plays := "/o/harbour-and-vale/reports/" + apptest.Read[string](t, d.db,
		`select id::text from forks where slug = 'prompting-at-the-dock'`)
	screens := map[string]string{
		plays + "/plays.csv?from=2026-11-01&to=2026-11-07": plays + "?from=2026-11-01&to=2026-11-07",
		log + ".csv?action=api_key.created":                log + "?action=api_key.created",
	}
	entries := func() int {
		return apptest.Read[int](t, d.db,
			`select count(*) from audit_entries where action like '%export%'`)
	}
	before := entries()
	maren := apptest.DemoAccount(t, "maren@harbour.example.com")
	cookies := apptest.NewWebClient(t, d.URL).SignIn(maren).Session()
	p := browsertest.New(t)
	p.AllowError("status of 403")
	signIn(t, p, d.Child, maren, "/reports")
	for file, screen := range screens {
		for name, from := range map[string][]string{
			"another site":                {"Sec-Fetch-Site", "cross-site"},
			"another port or a subdomain": {"Sec-Fetch-Site", "same-site"},
			"a mail, or typed by hand":    {"Sec-Fetch-Site", "none"},
			"an older browser elsewhere":  {"Referer", "https://evil.example/" + d.URL},
			"no header":                   {},
		} {
			answer := d.Get(file, "", append(from, "Cookie", cookies, "Accept", "text/html")...)
			require.Equal(t, http.StatusForbidden, answer.Status, "%s from %s", file, name)
			require.Contains(t, answer.Body, "nothing was downloaded", name)
			require.Contains(t, answer.Body,
				fmt.Sprintf(`href="%s"`, strings.ReplaceAll(screen, "&", "&amp;")), name)
		}
		require.Equal(t, http.StatusForbidden,
			d.Get(file, "", "Sec-Fetch-Site", "cross-site").Status, "signed out")
		require.Equal(t, "/sign-in?"+url.Values{"next": {screen}}.Encode(),
			d.Get(file, "", "Sec-Fetch-Site", "same-origin").Header.Get("Location"))

		evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, `<!doctype html><link rel="icon" href="data:,"><a href="%s">Kittens</a>`,
				d.URL+strings.ReplaceAll(file, "&", "&amp;"))
		}))
		t.Cleanup(evil.Close)
		p.Open(strings.Replace(evil.URL, "127.0.0.1", "localhost", 1))
		p.Click("a")
		require.Equal(t, http.StatusForbidden, p.Status())
		p.Click("main a.btn") // to the screen
		require.Equal(t, http.StatusOK, p.Status())
	}
	require.Equal(t, before, entries())
	for _, screen := range []string{plays, log} {
		p.Open(d.URL + screen)
		var status int
		p.Eval(`fetch(document.querySelector('.split a').href).then((r) => r.status)`, &status)
		require.Equal(t, http.StatusOK, status, screen)
	}
	require.Greater(t, entries(), before)
}
