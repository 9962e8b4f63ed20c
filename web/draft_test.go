package web_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/identity"
	"dg/platform/testkit/fixtures"
)

// sentAfterTheEnd sends a form as the page shows it, changed, in a session that has just ended, and returns the sign-in page.
func (w *world) sentAfterTheEnd(t *testing.T, b *browser, path string, changed url.Values) page {
	t.Helper()
	form := url.Values{"person": {regexpFind(t, `name="person" value="([^"]+)"`, b.get(path).body)}}
	maps.Copy(form, changed)
	w.db.Exec(`delete from sessions`)
	requireRedirect(t, "/sign-in?"+url.Values{"next": {path}}.Encode(), b.post(path, form))
	return b.get("/sign-in?" + url.Values{"next": {path}}.Encode())
}

const textBack = "This is what you wrote before your session ended. Check it, then send it."

// A session that ends in mid-form costs a sign-in, with both steps, and no text. Nothing is sent on its own, and it is shown once.
func TestFormIsShownAgainAfterTheSessionEnded(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	w.db.Exec(`update memberships set role = 'owner' where user_id = $1`, acme.admin.ID)
	key := w.newKey(t, acme, "BI", apikeys.ReportsRead)
	for name, c := range map[string]struct {
		path  string
		form  url.Values
		shown []string
	}{
		"a new key": {acme.at("/settings/api-keys/new"), url.Values{
			"name": {`Pipeline "é"`}, "description": {"Ask Bo"}, "scopes": {"forks:read", "reports:read"}, "expiry": {"day"}, "day": {"2027-01-02"}, "time": {"09:30"},
			"idempotencyKey": {"0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e44"},
		}, []string{
			`value="Pipeline &#34;é&#34;"`, `value="Ask Bo"`, `value="forks:read" aria-describedby="sf-h" checked`, `value="reports:read" aria-describedby="sr-h" checked`,
			`value="2027-01-02"`, `value="09:30"`, `id="xday" name="expiry" value="day" aria-describedby="xdayh" checked`, `value="0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e44"`,
		}},
		"a mode":        {acme.at("/settings/organisation/reporting-mode"), url.Values{"mode": {"nominative"}, "organisation": {acme.Name}}, []string{`value="nominative" checked`}},
		"a new name":    {acme.at("/settings/api-keys/%s/rename", key.ID), url.Values{"name": {"Warehouse"}}, []string{`value="Warehouse"`}},
		"a replacement": {acme.at("/settings/api-keys/%s/replace", key.ID), url.Values{"overlap": {"week"}}, []string{`id="oweek" name="overlap" value="week" aria-describedby="oweekh" checked`}},
	} {
		t.Run(name, func(t *testing.T) {
			b := w.signedIn(t, acme.admin)
			before := w.allKeys(t, acme)
			signIn := w.sentAfterTheEnd(t, b, c.path, c.form)
			require.Contains(t, signIn.body, "Your session has ended.</strong> Sign in to continue: what you wrote is kept.")
			next := "?" + url.Values{"next": {c.path}}.Encode()
			require.Equal(t, http.StatusUnauthorized, b.post("/sign-in"+next, url.Values{"email": {acme.admin.Email}, "password": {"wrong"}}).StatusCode)
			requireRedirect(t, "/sign-in/code"+next, b.post("/sign-in"+next, credentials(acme.admin)))
			requireRedirect(t, c.path, b.post("/sign-in/code"+next, url.Values{"code": {w.codeNow(t, fixtures.TOTPSecret)}}))
			form := b.get(c.path)
			require.Contains(t, form.body, textBack)
			for _, shown := range c.shown {
				require.Contains(t, form.body, shown)
			}
			require.Equal(t, before, w.allKeys(t, acme), "nothing was sent")
			again := b.get(c.path)
			require.NotContains(t, again.body, textBack)
			require.NotContains(t, again.body, c.shown[0])
		})
	}
}

// What was written is shown to its writer alone, in its form alone, and is forgotten with the sign-out.
func TestDraftIsThePersonsOwn(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	path, other := acme.at("/settings/api-keys/new"), acme.at("/settings/api-keys/%s/rename", w.newKey(t, acme, "BI", apikeys.ReportsRead).ID)
	b := w.signedIn(t, acme.owner)
	w.sentAfterTheEnd(t, b, path, url.Values{"name": {"Confidential"}})
	kept := b.cookies["__Host-dg-draft"]
	b.post("/sign-in", credentials(acme.owner))
	require.NotContains(t, b.get(other).body, "Confidential", "another form")
	require.Equal(t, kept, b.cookies["__Host-dg-draft"])
	b.post("/sign-out", url.Values{})
	require.NotContains(t, b.cookies, "__Host-dg-draft")

	elsewhere := w.signedIn(t, acme.admin)
	for name, value := range map[string]string{"another person's": kept, "broken": kept[:len(kept)-3], "garbage": "eyJ4", "too long": strings.Repeat("A", 4000)} {
		elsewhere.cookies["__Host-dg-draft"] = value
		p := elsewhere.get(path)
		require.Equal(t, http.StatusOK, p.StatusCode, name)
		require.NotContains(t, p.body, "Confidential", name)
		require.NotContains(t, p.body, textBack, name)
	}
	forged := w.browser(t)
	forged.send(http.MethodPost, path, url.Values{"name": {"x"}, "person": {acme.owner.ID}}.Encode(), http.Header{"Sec-Fetch-Site": {"cross-site"}})
	require.Empty(t, forged.cookies, "a form of another site keeps nothing")
	forged.post(path, url.Values{"name": {strings.Repeat("x", 60_000)}, "person": {acme.owner.ID}})
	require.Empty(t, forged.cookies, "there is a bound")
}

// Passwords, codes, tokens and what confirms a change are never kept.
func TestDraftHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	secret := url.Values{"person": {acme.owner.ID}, "name": {"n"}}
	for _, name := range []string{"current", "new", "repeat", "password", "code", "token", "organisation", "x"} {
		secret.Set(name, "s3cret")
	}
	b := w.browser(t)
	for _, path := range []string{"/account", "/account/password", "/account/two-step", "/account/recovery-codes"} {
		requireRedirect(t, "/sign-in?"+url.Values{"next": {path}}.Encode(), b.post(path, secret))
		require.Empty(t, b.cookies, path)
	}
	path := acme.at("/settings/api-keys/new")
	b.post(path, secret)
	require.NotEmpty(t, b.cookies["__Host-dg-draft"])
	b.post("/sign-in", credentials(acme.owner))
	require.NotContains(t, b.get(path).body, "s3cret")
	require.Contains(t, b.get("/account").body, "Account")
}

// A sign-in says that the session has ended where one has, and nothing to who comes first or has signed out.
func TestSignInSaysThatTheSessionEnded(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	const ended = "Your session has ended.</strong> Sign in to continue.</div>"
	require.NotContains(t, w.browser(t).get("/sign-in").body, "has ended")
	b := w.signedIn(t, acme.owner)
	w.db.Exec(`delete from sessions`)
	require.Contains(t, b.get(b.get(acme.at("/reports?from=2026-01-01")).Header.Get("Location")).body, ended)
	due := w.browser(t)
	due.post("/sign-in", credentials(acme.admin))
	require.NotContains(t, due.get("/sign-in").body, "has ended", "the code is due")
	b.post("/sign-in", credentials(acme.owner))
	b.post("/sign-out", url.Values{})
	require.NotContains(t, b.get("/sign-in").body, "has ended")
	require.Equal(t, []string{"__Host-dg-browser"}, slices.Collect(maps.Keys(b.cookies)))
}

// rules.md, Data: with a key, a draft in clear is nobody's, whoever it names.
func TestForgedDraftIsNotShown(t *testing.T) {
	t.Parallel()
	keys, err := identity.NewKeyring(make([]byte, 32), nil)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		keys  identity.Keyring
		shown bool
	}{"with a key": {keys, false}, "without": {identity.Keyring{}, true}} {
		w := start(t)
		w.screens.EncryptWith(c.keys)
		acme := w.organisation("acme")
		path := acme.at("/settings/api-keys/new")
		b := w.signedIn(t, acme.owner)
		b.cookies["__Host-dg-draft"] = base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil,
			`{"Person":%q,"Path":%q,"Fields":{"name":["Forged"]}}`, acme.owner.ID, path))
		require.Equal(t, c.shown, strings.Contains(b.get(path).body, textBack), name)
		w.sentAfterTheEnd(t, b, path, url.Values{"name": {"Own"}})
		b.post("/sign-in", credentials(acme.owner))
		require.Contains(t, b.get(path).body, `value="Own"`, name)
	}
}
