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
)

// A person of several organisations switches between them on screens of the same kind; the documentation and the account keep
// the one that the person comes from. Others are offered nothing.
func TestOrganisationIsSwitchedAndKept(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, vale, club := w.organisation("acme"), w.organisationOf(fixtures.Organisation{Slug: "a&b", Name: "Vale <b>"}), w.organisation("club")
	w.db.Join(vale.ID, acme.owner.ID, "admin")
	w.db.Join(club.ID, acme.owner.ID, "member")
	key := w.newKey(t, acme, "BI", apikeys.ReportsRead)
	b := w.signedIn(t, acme.owner)
	for path, want := range map[string]string{
		acme.at("/reports"):                              vale.at("/reports"),
		acme.at("/reports/%s?from=1", w.fork(acme).ID):   vale.at("/reports"),
		acme.at("/settings/api-keys/%s/rename", key.ID):  vale.at("/settings/api-keys"),
		acme.at("/settings/audit-log?from=2026-01-01"):   vale.at("/settings/audit-log"),
		acme.at("/settings/organisation/reporting-mode"): vale.at("/settings/organisation"),
		"/docs/reference?org=acme":                       "/docs/reference?org=a%26b",
		"/account/password?org=acme":                     "/account/password?org=a%26b",
		"/account":                                       "/account?org=a%26b",
	} {
		p := b.get(path)
		require.Contains(t, p.body, `<li><a href="`+html.EscapeString(want)+`"><bdi>Vale &lt;b&gt;</bdi></a></li>`, path)
		require.Equal(t, path == "/account", strings.Contains(p.body, "Choose organisation"), path)
		require.Contains(t, p.body, `?org=club"><bdi>Organisation club</bdi>`, "%s: a member has the account alone", path)
	}
	kept := b.get(acme.at("/reports")).body
	require.Contains(t, kept, `href="/account?org=acme"`)
	account := b.get("/account?org=acme").body
	require.Contains(t, account, `href="`+acme.at("/reports")+`"`)
	for _, link := range []string{`href="/account/password?org=acme"`, `href="/account/two-step?org=acme"`, `action="/account?org=acme"`} {
		require.Contains(t, account, link)
	}
	region := b.post("/account?org=acme", url.Values{"region": {"de-DE"}})
	require.Equal(t, "/account?org=acme", region.Header.Get("Location"))
	require.Contains(t, b.get("/account/password?org=acme").body, `action="/account/password?org=acme"`)
	require.NotContains(t, b.get("/account?org=elsewhere").body, "elsewhere/reports")
	for _, alone := range []string{acme.at("/reports"), "/account", "/docs"} {
		require.NotContains(t, w.signedIn(t, acme.admin).get(alone).body, `class="switch"`)
	}
}

// Who needs two-step verification finds the way to it where it is missing, and from it back.
func TestEnrolmentLeadsBackToWhereItBegan(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	create := acme.at("/settings/api-keys/new")
	b := w.signedIn(t, acme.adminPlain)
	setUp := "/account/two-step?" + url.Values{"next": {create}}.Encode()
	denied := b.get(create)
	require.Equal(t, http.StatusForbidden, denied.StatusCode)
	require.Contains(t, denied.body, `<a class="btn primary" href="`+setUp+`">Set up two-step verification</a>`)
	require.Contains(t, b.get(acme.at("/settings/api-keys")).body, `href="`+setUp+`">Set up two-step verification</a>`)
	require.NotContains(t, w.signedIn(t, acme.member).get(create).body, "two-step", "which would not help")

	form := b.get(setUp)
	require.Contains(t, form.body, `action="`+setUp+`"`)
	proof := func() url.Values {
		secret := strings.ReplaceAll(regexpFind(t, `<code id="totp">([A-Z2-7 ]+)</code>`, form.body), " ", "")
		code, err := totp.GenerateCode(secret, time.Now())
		require.NoError(t, err)
		return url.Values{"do": {"on"}, "code": {code}, "current": {fixtures.Password}}
	}
	wrong := b.post(setUp, url.Values{"do": {"on"}, "code": {"000000"}, "current": {fixtures.Password}})
	require.Contains(t, wrong.body, `action="`+setUp+`"`)
	codes := b.post(setUp, proof())
	require.Contains(t, codes.body, `<a class="btn" href="`+create+`">Done</a>`)
	require.Contains(t, codes.body, `data-after="`+create+`"`)
	require.Contains(t, b.get(create).body, "<strong>Two-step verification is on.</strong>")
	for _, next := range []string{"//evil.example", `/\evil.example`, "https://evil.example", "javascript:alert(1)", "/\t/evil.example"} {
		b := w.signedIn(t, acme.owner)
		require.NotContains(t, b.get("/account/two-step?"+url.Values{"next": {next}}.Encode()).body, "evil")
	}
}
