package web_test

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// A person of several organisations switches between them on screens of the same kind; the
// documentation and the account keep the one that the person comes from. Others are offered
// nothing.
func TestOrganisationIsSwitchedAndKept(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	vale := w.OrganisationOf(fixtures.Organisation{Slug: "a&b", Name: "Vale <b>"})
	club := w.Organisation("club")
	w.DB.Join(vale.ID, acme.Owner.ID, "admin")
	w.DB.Join(club.ID, acme.Owner.ID, "member")
	key := w.NewKey(t, acme, "BI", apikeys.ReportsRead)
	b := w.SignedIn(t, acme.Owner)
	for path, want := range map[string]string{
		acme.At("/reports"):                              vale.At("/reports"),
		acme.At("/reports/%s?from=1", w.Fork(acme).ID):   vale.At("/reports"),
		acme.At("/settings/api-keys/%s/rename", key.ID):  vale.At("/settings/api-keys"),
		acme.At("/settings/audit-log?from=2026-01-01"):   vale.At("/settings/audit-log"),
		acme.At("/settings/organisation/reporting-mode"): vale.At("/settings/organisation"),
		"/docs/reference?org=acme":                       "/docs/reference?org=a%26b",
		"/account/password?org=acme":                     "/account/password?org=a%26b",
		"/account":                                       "/account?org=a%26b",
	} {
		p := b.Get(path)
		require.Contains(t, p.Body,
			`<li><a href="`+html.EscapeString(want)+`"><bdi>Vale &lt;b&gt;</bdi></a></li>`, path)
		require.Equal(t, path == "/account", strings.Contains(p.Body, "Choose organisation"), path)
		require.Contains(t, p.Body, `?org=club"><bdi>Organisation club</bdi>`,
			"%s: a member has the account alone", path)
		current := strings.Count(p.Body, `aria-current="true"><bdi>Organisation acme</bdi>`)
		require.Equal(t, path != "/account", current == 1, "%s: the current one is marked", path)
	}
	kept := b.Get(acme.At("/reports")).Body
	require.Contains(t, kept, `href="/account?org=acme"`)
	account := b.Get("/account?org=acme").Body
	require.Contains(t, account, `href="`+acme.At("/reports")+`"`)
	for _, link := range []string{
		`href="/account/password?org=acme"`, `href="/account/two-step?org=acme"`,
		`action="/account?org=acme"`,
	} {
		require.Contains(t, account, link)
	}
	region := b.Post("/account?org=acme", url.Values{"region": {"de-DE"}})
	require.Equal(t, "/account?org=acme", region.Header.Get("Location"))
	require.Contains(t, b.Get("/account/password?org=acme").Body,
		`action="/account/password?org=acme"`)
	require.NotContains(t, b.Get("/account?org=elsewhere").Body, "elsewhere/reports")
	for _, alone := range []string{acme.At("/reports"), "/account", "/docs"} {
		require.NotContains(t, w.SignedIn(t, acme.Admin).Get(alone).Body, `class="switch"`)
	}
}

// Who needs two-step verification finds the way to it where it is missing, and from it back.
func TestEnrolmentLeadsBackToWhereItBegan(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	create := acme.At("/settings/api-keys/new")
	b := w.SignedIn(t, acme.AdminPlain)
	setUp := "/account/two-step?" + url.Values{"next": {create}}.Encode()
	denied := b.Get(create)
	require.Equal(t, http.StatusForbidden, denied.StatusCode)
	require.Contains(t, denied.Body,
		`<a class="btn primary" href="`+setUp+`">Set up two-step verification</a>`)
	require.Contains(t, b.Get(acme.At("/settings/api-keys")).Body,
		`href="`+setUp+`">Set up two-step verification</a>`)
	require.NotContains(t, w.SignedIn(t, acme.Member).Get(create).Body, "two-step",
		"which would not help")

	form := b.Get(setUp)
	require.Contains(t, form.Body, `action="`+setUp+`"`)
	proof := func() url.Values {
		secret := strings.ReplaceAll(
			webtest.RegexpFind(t, `<code id="totp">([A-Z2-7 ]+)</code>`, form.Body), " ", "",
		)
		code, err := totp.GenerateCode(secret, time.Now())
		require.NoError(t, err)
		return url.Values{"do": {"on"}, "code": {code}, "current": {fixtures.Password}}
	}
	wrong := b.Post(setUp, url.Values{
		"do": {"on"}, "code": {"000000"}, "current": {fixtures.Password},
	})
	require.Contains(t, wrong.Body, `action="`+setUp+`"`)
	codes := b.Post(setUp, proof())
	require.Contains(t, codes.Body, `<a class="btn" href="`+create+`">Done</a>`)
	require.Contains(t, codes.Body, `data-after="`+create+`"`)
	require.Contains(t, b.Get(create).Body, "<strong>Two-step verification is on.</strong>")
	for _, next := range []string{
		"//evil.example", `/\evil.example`, "https://evil.example", "javascript:alert(1)",
		"/\t/evil.example",
	} {
		b := w.SignedIn(t, acme.Owner)
		require.NotContains(t, b.Get("/account/two-step?"+url.Values{"next": {next}}.Encode()).Body,
			"evil")
	}
}
