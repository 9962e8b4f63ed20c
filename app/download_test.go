package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/browsertest"
)

// cookiesOf signs the person in without a browser and returns the cookies.
func cookiesOf(t *testing.T, d *child, email string) string {
	t.Helper()
	form := url.Values{"email": {email}, "password": {demoAccount(t, email).Password}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+"/sign-in", strings.NewReader(form.Encode()))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	c := client()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := c.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusSeeOther, response.StatusCode)
	var all []string
	for _, cookie := range response.Cookies() {
		all = append(all, cookie.Name+"="+cookie.Value)
	}
	return strings.Join(all, "; ")
}

// A download is ordered with the button on its screen. A link on another site or in a mail, which the reader may not even
// have seen, starts none in the reader's name: 403, a page that leads to the screen, and no entry in the audit log.
func TestDownloadsAreStartedFromTheirScreensOnly(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	d := serveOn(t, dir, "--demo")
	db := openDoor(t, dir)
	fork := read[string](t, db, `select id::text from forks where slug = 'prompting-at-the-dock'`)
	entries := func() int { return read[int](t, db, `select count(*) from audit_entries where action like '%export%'`) }
	before := entries()
	plays, log := "/o/harbour-and-vale/reports/"+fork, "/o/harbour-and-vale/settings/audit-log"
	files := map[string]string{
		plays + "/plays.csv?from=2026-11-01&to=2026-11-07": plays + "?from=2026-11-01&to=2026-11-07",
		log + ".csv?action=api_key.created":                log + "?action=api_key.created",
	}
	cookies := cookiesOf(t, d, "maren@harbour.example.com")
	for file, screen := range files {
		for name, headers := range map[string][]string{
			"another site":                {"Sec-Fetch-Site", "cross-site"},
			"another port or a subdomain": {"Sec-Fetch-Site", "same-site"},
			"a mail, or typed by hand":    {"Sec-Fetch-Site", "none"},
			"an older browser elsewhere":  {"Referer", "https://evil.example/" + d.url},
			"an older browser, unsaid":    {},
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
	require.Equal(t, before, entries())

	// A sign-in leads to the screen, not to the file: whoever sent the reader to the sign-in has not started it.
	for file, screen := range files {
		c := client()
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		answer := ask(t, c, d.url+file, "", "Sec-Fetch-Site", "same-origin")
		require.Equal(t, "/sign-in?"+url.Values{"next": {screen}}.Encode(), answer.Header.Get("Location"))
	}

	// In a browser: a link on another site, and the screen's own.
	p := browsertest.New(t)
	p.AllowError("status of 403")
	signIn(t, p, d, demoAccount(t, "maren@harbour.example.com"), "/reports")
	for file := range files {
		evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, `<!doctype html><link rel="icon" href="data:,"><a href="%s%s">Kittens</a>`, d.url, strings.ReplaceAll(file, "&", "&amp;"))
		}))
		t.Cleanup(evil.Close)
		p.Open(strings.Replace(evil.URL, "127.0.0.1", "localhost", 1))
		p.Click("a")
		require.Equal(t, http.StatusForbidden, p.Status())
		require.Equal(t, "Nothing was downloaded", p.Text("h1"))
		require.Equal(t, before, entries())
		p.Click("main a.btn") // to the screen
		require.Equal(t, http.StatusOK, p.Status())
	}
	for _, screen := range []string{plays, log} {
		p.Open(d.url + screen)
		var status int
		p.Eval(`fetch(document.querySelector('.head a.btn').href).then((r) => r.status)`, &status)
		require.Equal(t, http.StatusOK, status, screen)
	}
	require.Greater(t, entries(), before)
}

func readAll(t *testing.T, response *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}
