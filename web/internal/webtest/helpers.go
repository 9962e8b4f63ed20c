package webtest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
	"dg/platform/testkit/tb"
)

func (w *World) NewKey(t *testing.T, o *Organisation, name string, scopes ...apikeys.Scope) apikeys.Key {
	key, _, err := w.Keys.Create(t.Context(), o.AsOwner(),
		apikeys.NewKey{Name: name, Scopes: scopes},
		audit.Request{Method: "POST", Path: "/", ID: "request-0001"})
	require.NoError(t, err)
	return key
}

// LogOf returns an organisation's complete log, newest first.
func (w *World) LogOf(t *testing.T, o *Organisation) []audit.Entry {
	return tb.Must(w.Log.List(t.Context(), o.ID, audit.Page{Limit: 100_000}))(t)
}

func (w *World) Append(t *testing.T, o *Organisation, e audit.Entry) {
	e.OrganisationID = o.ID
	require.NoError(t, w.Log.Append(t.Context(), e))
}

func (w *World) API(t *testing.T, o *Organisation) (get func(path string) testkit.Page) {
	authorisation := http.Header{"Authorization": {"Bearer " + w.DB.AddKey(o.ID).Token()}}
	return func(path string) testkit.Page {
		return w.Browser(t).Send(http.MethodGet, "/api/v1"+path, "", authorisation)
	}
}

const FigureCells = `<div(?: class="shown")?><dt>(?:<a[^>]*>)?([^<]*)(?:</a>)?(?:<small>.*?</small>)?</dt><dd>([^<]*)</dd>`

func NewKeyForm() url.Values {
	return url.Values{
		"name": {"Warehouse"}, "scopes": {"forks:read", "reports:read"}, "expiry": {"90"},
	}
}

// ReplacementForm returns a form that replaces a key, which stops working after the overlap.
func ReplacementForm(overlap string) url.Values {
	form := NewKeyForm()
	form.Set("overlap", overlap)
	return form
}

// AddManyKeys stores n keys of the organisation, named prefix 1 to prefix n and created a minute
// apart. Keys with numbers above usable are revoked.
func (w *World) AddManyKeys(o *Organisation, prefix string, n, usable int) {
	w.DB.Exec(`insert into api_keys (id, org_id, name, scopes, secret_hash, created_at, created_by,
		creator_name, revoked_at)
		select 'n' || lpad(i::text, 21, '0'), $1, $2::text || i, array['forks:read'],
		  decode(repeat('00', 32), 'hex'), timestamptz '2020-01-01' + make_interval(mins => i), 'p',
		  'P', case when i > $4::int then timestamptz '2021-01-01' end
		from generate_series(1, $3::int) i`, o.ID, prefix, n, usable)
}

func (w *World) AllKeys(t *testing.T, o *Organisation) []apikeys.Key {
	return tb.Must(w.Keys.List(t.Context(), o.AsOwner()))(t)
}

// NoteTexts returns the text of each notice above the heading, preceded by its kind if it has one.
func NoteTexts(t *testing.T, p testkit.Page) []string {
	above, _, found := strings.Cut(p.Body, `<div class="head">`)
	require.True(t, found, p.Body)
	notes := []string{}
	for _, n := range strings.Split(above, `<div class="note`)[1:] {
		kind, _, _ := strings.Cut(n, `"`)
		if kind != "" {
			kind = strings.TrimSpace(kind) + ": "
		}
		notes = append(notes, kind+testkit.TextOf(n))
	}
	return notes
}

// ExportsOf waits until n exports have ended, and returns the log's entries of exports, newest
// first.
func (w *World) ExportsOf(t *testing.T, o *Organisation, n int) []audit.Entry {
	require.Eventually(t, func() bool {
		return w.DB.CountRows(`audit_entries where org_id = $1 and action = $2`, o.ID, audit.ExportFinished) >= n
	}, 30*time.Second, 10*time.Millisecond)
	return slices.DeleteFunc(w.LogOf(t, o), func(e audit.Entry) bool {
		return e.Action != audit.ExportStarted && e.Action != audit.ExportFinished
	})
}

// BeginDownload starts a download with a slow reader, and returns a channel for the error that ends
// it.
func (w *World) BeginDownload(t *testing.T, b *testkit.Browser, path string) (ended <-chan error) {
	response := apptest.Get(t, apptest.SmallWindowClient(), w.BaseURL+path, "",
		"Cookie", "__Host-dg="+b.SessionToken(), "Sec-Fetch-Site", "same-origin")
	require.Equal(t, http.StatusOK, response.StatusCode)
	return apptest.ReadSlowly(response.Body)
}

// SignInWith signs a person in through the form, and then opens a path.
func SignInWith(p *browsertest.Page, w *World, person testkit.Person, path string) {
	p.Open(w.BaseURL + "/sign-in")
	p.Fill("#email", person.Email)
	p.Fill("#password", testkit.Password)
	p.Click("main button.primary")
	p.WaitFor("header.top")
	p.Open(w.BaseURL + path)
}

// RequireAccessible checks accessibility and width of a screen, in dark mode on a desktop and in
// light mode on a phone. TestScreensAreAccessibleAndSmall has the other combinations.
func RequireAccessible(t *testing.T, p *browsertest.Page, name string) {
	for width, mode := range map[int]browsertest.Mode{
		320: browsertest.Light, 1280: browsertest.Dark,
	} {
		p.Emulate(width, mode)
		require.Empty(t, p.Axe(), "%s, %d px", name, width)
		require.False(t, p.ScrollsHorizontally(), "%s, %d px", name, width)
	}
	p.Emulate(1280, browsertest.Light)
}

// CodeNow returns the current code of the secret. It allows its reuse, because a test may need
// two codes within half a minute.
func (w *World) CodeNow(t *testing.T, secret string) string {
	w.DB.Exec(`update users set totp_last_step = 0 where totp_secret = $1`, secret)
	return testkit.TOTPCode(t, secret, w.now())
}

func Credentials(p testkit.Person) url.Values {
	return testkit.Form("email", p.Email, "password", testkit.Password)
}

// AsOwner returns the organisation's owner as an actor of modules/apikeys.
func (o *Organisation) AsOwner() apikeys.Actor {
	return apikeys.Actor{
		Person: apikeys.Person{ID: o.Owner.ID, Name: o.Owner.Name},
		Subject: authz.Subject{
			Kind: authz.Member, OrganisationID: o.ID, Grants: authz.MemberGrants("owner", false),
		},
	}
}
