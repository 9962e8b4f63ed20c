package keys_test

import (
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/web/internal/webtest"
)

// secretIn returns the key that an answer shows.
func secretIn(t *testing.T, p webtest.Page) apikeys.Token {
	t.Helper()
	token, ok := apikeys.ParseToken(
		webtest.RegexpFind(t, `<samp id="secret" data-secret>([^<]*)</samp>`, p.Body),
	)
	require.True(t, ok)
	return token
}

// The form shows the day of each choice, and 90 days is chosen. With a name and scopes it makes a key
// that ends on the shown day.
func TestKeyIsCreatedFromTheForm(t *testing.T) {
	t.Parallel()
	now := noon
	w, acme := webtest.StartAt(t, &now)
	b := w.SignedIn(t, acme.Admin)
	form := b.Get(acme.At("/settings/api-keys/new")).Is(t, 200)
	require.Regexp(t, `(?s)value="30"[^\n]*21 Dec 2026<.*value="90"[^\n]*19 Feb 2027<.*`+
		`value="365"[^\n]*21 Nov 2027<`, form.Body)
	form.Has(t, `name="scopes" value="forks:read"`, `name="scopes" value="reports:read"`,
		`<input type="radio" id="x90" name="expiry" value="90" aria-describedby="x90h" checked>`)
	require.Equal(t, 1, strings.Count(form.Body, " checked"))

	// a browser sends all fields
	sent := webtest.Form("name", "  Power BI, learning dashboard ", "expiry", "90", "day", "",
		"time", "", "today", webtest.RegexpFind(t, `name="today" value="([^"]+)"`, form.Body),
		"idempotencyKey", webtest.RegexpFind(t, `name="idempotencyKey" value="([^"]+)"`, form.Body))
	sent["scopes"] = []string{"reports:read", "forks:read"}
	created := b.Post(acme.At("/settings/api-keys/new"), sent).Is(t, 200)
	require.Equal(t, "no-store", created.Header.Get("Cache-Control"))
	require.Contains(t, html.UnescapeString(webtest.Words(created.Body)),
		"Name Power BI, learning dashboard Scopes Forks, reports Expiry 19 Feb 2027 Try it")
	keys := w.AllKeys(t, acme)
	require.Len(t, keys, 1)
	require.Equal(t, "Power BI, learning dashboard", keys[0].Name, "without the blanks around")
	require.Equal(t, time.Date(2027, 2, 19, 0, 0, 0, 0, time.UTC), keys[0].ExpiresAt.UTC())
	require.Equal(t, acme.Admin.Name, keys[0].CreatedBy.Name)
	require.Equal(t, now, keys[0].CreatedAt.UTC())

	token := secretIn(t, created)
	caller, err := w.Keys.Authenticator.Authenticate(t.Context(), token, nil)
	require.NoError(t, err)
	require.Equal(t, acme.ID, caller.OrganisationID)
	require.Contains(t, html.UnescapeString(created.Body),
		"curl -sS '"+w.URL+"/api/v1/forks' -H @- <<<'Authorization: Bearer "+token.String()+"'")
}

// rules.md, Keys: the expiry is 30, 90 or 365 days, a future day at 00:00 UTC or at a time, or never.
func TestNewKeyExpiresAtTheChosenTime(t *testing.T) {
	t.Parallel()
	now := noon
	w, acme := webtest.StartAt(t, &now)
	b := w.SignedIn(t, acme.Owner)
	for _, c := range []struct{ expiry, day, time, want string }{
		{"30", "", "", "2026-12-21T00:00:00Z"},
		{"365", "", "", "2027-11-21T00:00:00Z"},
		{"never", "", "", ""},
		{"day", "2026-11-22", "", "2026-11-22T00:00:00Z"},
		{"day", "2199-12-31", "23:59", "2199-12-31T23:59:00Z"},
		{"day", "2026-11-21", "09:32", "2026-11-21T09:32:00Z"},
	} {
		form := webtest.GoodForm()
		form.Set("expiry", c.expiry)
		form.Set("day", c.day)
		form.Set("time", c.time)
		p := b.Post(acme.At("/settings/api-keys/new"), form).Is(t, 200)
		id := secretIn(t, p).ID
		got := ""
		for _, k := range w.AllKeys(t, acme) {
			if k.ID == id && k.ExpiresAt != nil {
				got = k.ExpiresAt.UTC().Format(time.RFC3339)
			}
		}
		require.Equal(t, c.want, got, c)
		if c.want == "" {
			p.Has(t, "<dt>Expiry</dt><dd>Never</dd>")
		}
	}
}

// The curl command works with the scopes of the key: without forks:read it reads the statistics of a
// fork.
func TestSampleCommandMatchesTheScopes(t *testing.T) {
	t.Parallel()
	now := noon
	w, acme := webtest.StartAt(t, &now)
	bare := w.Organisation("bare")
	fork := w.Fork(acme).ID
	form := func(o *webtest.Organisation, scope string) string {
		f := webtest.GoodForm()
		f["scopes"] = []string{scope}
		p := w.SignedIn(t, o.Owner).Post(o.At("/settings/api-keys/new"), f).Is(t, 200)
		_, shown, _ := strings.Cut(html.UnescapeString(p.Body), "Try it")
		return strings.ReplaceAll(shown, secretIn(t, p).String(), "KEY")
	}
	require.Contains(t, form(acme, "forks:read"),
		"curl -sS '"+w.URL+"/api/v1/forks' -H @- <<<'Authorization: Bearer KEY'")
	stats := form(acme, "reports:read")
	require.Contains(t, stats, "curl -sS '"+w.URL+"/api/v1/forks/"+fork+
		"/stats?from=2026-11-15&to=2026-11-21' -H @- <<<'Authorization: Bearer KEY'")
	require.Contains(t, stats, "the last 7 days of <bdi>Prompting at the dock</bdi>")
	none := form(bare, "reports:read")
	require.Contains(t, none, "no forks yet")
	require.NotContains(t, none, "curl")
	require.Contains(t, form(bare, "forks:read"), "curl")
}

// The secret is in one answer, and in no other answer, log or table.
func TestSecretIsShownOnce(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	form := webtest.GoodForm()
	path := acme.At("/settings/api-keys/new")
	created := b.Post(path, form)
	token := secretIn(t, created)
	require.Equal(t, 2, strings.Count(created.Body, token.Secret), "to copy, and in the command")
	for name, header := range created.Header {
		require.NotContains(t, fmt.Sprint(header), token.Secret[:12], name)
	}
	for name, p := range map[string]webtest.Page{
		"again":        b.Post(path, form),
		"form":         b.Get(path),
		"list":         b.Get(acme.At("/settings/api-keys")),
		"revoke":       b.Get(acme.At("/settings/api-keys/%s/revoke", token.ID)),
		"log":          b.Get(acme.At("/settings/audit-log")),
		"log as CSV":   b.Get(acme.At("/settings/audit-log.csv")),
		"organisation": b.Get(acme.At("/settings/organisation")),
		"revoked":      b.Post(acme.At("/settings/api-keys/%s/revoke", token.ID), url.Values{}),
	} {
		require.Less(t, p.StatusCode, 400, name)
		p.Lacks(t, token.Secret[:12])
	}
	require.Contains(t, b.Get(acme.At("/settings/api-keys")).Body, token.ID, "the id is no secret")
	logged := w.Logged.String()
	require.Contains(t, logged, path, "the log of the program says what was requested")
	require.NotContains(t, logged, token.Secret[:12])
	for _, table := range []string{"api_keys", "audit_entries", "sessions"} {
		var rows, with int
		require.NoError(t,
			w.DB.Owner.Pool.QueryRow(t.Context(),
				`select count(*), count(*) filter (where r::text like '%' || $1 || '%') from `+
					table+
					` r`,
				token.Secret[:12]).Scan(&rows, &with))
		require.NotZero(t, rows, table)
		require.Zero(t, with, table)
	}
}
