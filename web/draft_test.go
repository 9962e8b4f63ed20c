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
	"dg/web/internal/webtest"
)

// sentAfterTheEnd sends the form of a page with other fields after its session has ended, and returns
// the sign-in page.
func sentAfterTheEnd(
	t *testing.T, w *webtest.World, b *webtest.Browser, path string, changed url.Values,
) webtest.Page {
	t.Helper()
	form := url.Values{
		"person": {webtest.RegexpFind(t, `name="person" value="([^"]+)"`, b.Get(path).Body)},
	}
	maps.Copy(form, changed)
	w.DB.Exec(`delete from sessions`)
	signIn := "/sign-in?next=" + url.QueryEscape(path)
	webtest.RequireRedirect(t, signIn, b.Post(path, form))
	return b.Get(signIn)
}

const textBack = "This is what you wrote before your session ended. Check it, then send it."

// A form that is sent after its session has ended is shown again, once, after the sign-in with both
// steps. Nothing is sent on its own.
func TestFormIsShownAgainAfterTheSessionEnded(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	w.DB.Exec(`update memberships set role = 'owner' where user_id = $1`, acme.Admin.ID)
	key := w.NewKey(t, acme, "BI", apikeys.ReportsRead)
	for name, c := range map[string]struct {
		path  string
		form  url.Values
		shown []string
	}{
		"a new key": {acme.At("/settings/api-keys/new"), url.Values{
			"name": {`Pipeline "é"`}, "description": {"Ask Bo"},
			"scopes": {"forks:read", "reports:read"}, "expiry": {"day"}, "day": {"2027-01-02"},
			"time": {"09:30"}, "idempotencyKey": {"0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e44"},
		}, []string{
			`value="Pipeline &#34;é&#34;"`, `value="Ask Bo"`,
			`value="forks:read" aria-describedby="sf-h" checked`,
			`value="reports:read" aria-describedby="sr-h" checked`, `value="2027-01-02"`,
			`value="09:30"`, `id="xday" name="expiry" value="day" aria-describedby="xdayh" checked`,
			`value="0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e44"`,
		}},
		"a mode": {
			acme.At("/settings/organisation/reporting-mode"), webtest.ToNominative(acme),
			[]string{`value="nominative" checked`},
		},
		"a new name": {
			acme.At("/settings/api-keys/%s/rename", key.ID), url.Values{"name": {"Warehouse"}},
			[]string{`value="Warehouse"`},
		},
		"a replacement": {
			acme.At("/settings/api-keys/%s/replace", key.ID), url.Values{"overlap": {"week"}},
			[]string{`id="oweek" name="overlap" value="week" aria-describedby="oweekh" checked`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := w.SignedIn(t, acme.Admin)
			before := w.AllKeys(t, acme)
			sentAfterTheEnd(t, w, b, c.path, c.form).Has(t,
				"Your session has ended.</strong> What you wrote is kept.")
			next := "?next=" + url.QueryEscape(c.path)
			b.Post("/sign-in"+next, nil).Is(t, 401)
			b.Post("/sign-in"+next, webtest.Credentials(acme.Admin))
			webtest.RequireRedirect(t, "/sign-in/code"+next, b.Get("/sign-in"+next+"&begun=1"))
			webtest.RequireRedirect(t, c.path,
				b.Post("/sign-in/code"+next,
					url.Values{"code": {w.CodeNow(t, fixtures.TOTPSecret)}}))
			b.Get(c.path).Has(t, textBack).Has(t, c.shown...)
			require.Equal(t, before, w.AllKeys(t, acme), "nothing was sent")
			b.Get(c.path).Lacks(t, textBack, c.shown[0])
		})
	}
}

// A draft is shown to its person alone, in its form alone, and is forgotten at the sign-out.
func TestDraftIsThePersonsOwn(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	path := acme.At("/settings/api-keys/new")
	other := acme.At("/settings/api-keys/%s/rename",
		w.NewKey(t, acme, "BI", apikeys.ReportsRead).ID)
	b := w.SignedIn(t, acme.Owner)
	sentAfterTheEnd(t, w, b, path, url.Values{"name": {"Confidential"}})
	kept := b.Cookies["__Host-dg-draft"]
	b.Post("/sign-in", webtest.Credentials(acme.Owner))
	require.NotContains(t, b.Get(other).Body, "Confidential", "another form")
	require.Equal(t, kept, b.Cookies["__Host-dg-draft"])
	b.Post("/sign-out", url.Values{})
	require.NotContains(t, b.Cookies, "__Host-dg-draft")

	elsewhere := w.SignedIn(t, acme.Admin)
	for _, value := range []string{
		kept, kept[:len(kept)-3], "eyJ4", strings.Repeat("A", 4000),
	} {
		elsewhere.Cookies["__Host-dg-draft"] = value
		elsewhere.Get(path).Is(t, 200).Lacks(t, "Confidential", textBack)
	}
	forged := w.Browser(t)
	forged.Send(http.MethodPost, path,
		url.Values{"name": {"x"}, "person": {acme.Owner.ID}}.Encode(),
		http.Header{"Sec-Fetch-Site": {"cross-site"}})
	require.Empty(t, forged.Cookies, "a form of another site keeps nothing")
	forged.Post(path, url.Values{"name": {strings.Repeat("x", 60_000)}, "person": {acme.Owner.ID}})
	require.Empty(t, forged.Cookies, "there is a bound")
}

// Passwords, codes, tokens and what confirms a change are never kept.
func TestDraftHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	secret := url.Values{"person": {acme.Owner.ID}, "name": {"n"}}
	for _, name := range []string{
		"current", "new", "repeat", "password", "code", "token", "organisation", "x",
	} {
		secret.Set(name, "s3cret")
	}
	b := w.Browser(t)
	for _, path := range []string{
		"/account", "/account/password", "/account/two-step", "/account/recovery-codes",
	} {
		webtest.RequireRedirect(t, "/sign-in?next="+url.QueryEscape(path), b.Post(path, secret))
		require.Empty(t, b.Cookies, path)
	}
	path := acme.At("/settings/api-keys/new")
	b.Post(path, secret)
	kept, err := base64.RawURLEncoding.DecodeString(b.Cookies["__Host-dg-draft"])
	require.NoError(t, err)
	require.Contains(t, string(kept), acme.Owner.ID)
	require.NotContains(t, string(kept), "s3cret")
	b.Post("/sign-in", webtest.Credentials(acme.Owner))
	b.Get(path).Is(t, 200).Lacks(t, "s3cret")
}

// The sign-in says that a session has ended, but not at the first visit or after a sign-out.
func TestSignInSaysThatTheSessionEnded(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	const ended = "Your session has ended.</strong> Sign in to continue.</div>"
	w.Browser(t).Get("/sign-in").Lacks(t, "has ended")
	b := w.SignedIn(t, acme.Owner)
	w.DB.Exec(`delete from sessions`)
	b.Get(b.Get(acme.At("/reports?from=2026-01-01")).Header.Get("Location")).Has(t, ended)
	due := w.Browser(t)
	due.Post("/sign-in", webtest.Credentials(acme.Admin))
	require.NotContains(t, due.Get("/sign-in").Body, "has ended", "the code is due")
	b.Post("/sign-in", webtest.Credentials(acme.Owner))
	b.Post("/sign-out", url.Values{})
	b.Get("/sign-in").Lacks(t, "has ended")
	require.Equal(t, []string{"__Host-dg-browser"}, slices.Collect(maps.Keys(b.Cookies)))
}

// rules.md, Data: with a key, a draft in clear is ignored.
func TestForgedDraftIsNotShown(t *testing.T) {
	t.Parallel()
	keys, err := identity.NewKeyring(make([]byte, 32), nil)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		keys  identity.Keyring
		shown bool
	}{"with a key": {keys, false}, "without": {identity.Keyring{}, true}} {
		w := webtest.Start(t)
		w.Drafts = c.keys
		acme := w.Organisation("acme")
		path := acme.At("/settings/api-keys/new")
		b := w.SignedIn(t, acme.Owner)
		b.Cookies["__Host-dg-draft"] = base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil,
			`{"Person":%q,"Path":%q,"Fields":{"name":["Forged"]}}`, acme.Owner.ID, path))
		require.Equal(t, c.shown, strings.Contains(b.Get(path).Body, textBack), name)
		sentAfterTheEnd(t, w, b, path, url.Values{"name": {"Own"}})
		b.Post("/sign-in", webtest.Credentials(acme.Owner))
		b.Get(path).Has(t, `value="Own"`)
	}
}
