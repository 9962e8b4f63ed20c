package web_test

import (
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// A person of several organisations switches between screens of the same kind. The documentation and
// the account keep the organisation. A person of one organisation is offered no switch.
func TestOrganisationIsSwitchedAndKept(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	vale := w.OrganisationOf(testkit.Organisation{Slug: "a&b", Name: "Vale <b>"})
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
		p.Has(t, `<li><a href="`+html.EscapeString(want)+`"><bdi>Vale &lt;b&gt;</bdi></a></li>`)
		require.Equal(t, path == "/account", strings.Contains(p.Body, "Choose organisation"), path)
		require.Contains(t, p.Body, `?org=club"><bdi>Organisation club</bdi>`,
			"%s: a member has the account alone", path)
		current := strings.Count(p.Body, `aria-current="true"><bdi>Organisation acme</bdi>`)
		require.Equal(t, path != "/account", current == 1, "%s: the current one is marked", path)
	}
	b.Get(acme.At("/reports")).Has(t, `href="/account?org=acme"`)
	b.Get("/account?org=acme").Has(t, `href="`+acme.At("/reports")+`"`,
		`href="/account/password?org=acme"`, `href="/account/two-step?org=acme"`,
		`action="/account?org=acme"`)
	b.Get("/account/password?org=acme").Has(t, `action="/account/password?org=acme"`)
	b.Get("/account?org=elsewhere").Lacks(t, "elsewhere/reports")
	for _, alone := range []string{acme.At("/reports"), "/account", "/docs"} {
		w.SignedIn(t, acme.Admin).Get(alone).Lacks(t, `class="switch"`)
	}
}

// Where two-step verification is required, a link leads to its form, which leads back.
func TestEnrolmentLeadsBackToWhereItBegan(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	create := acme.At("/settings/api-keys/new")
	b := w.SignedIn(t, acme.AdminPlain)
	setUp := "/account/two-step?" + url.Values{"next": {create}}.Encode()
	denied := b.Get(create).Is(t, 403)
	denied.Has(t, `<a class="btn primary" href="`+setUp+`">Set up two-step verification</a>`)
	b.Get(acme.At("/settings/api-keys")).Has(t, `href="`+setUp+`">Set up two-step verification</a>`)
	w.SignedIn(t, acme.Member).Get(create).Lacks(t, "two-step")

	form := b.Get(setUp).Has(t, `action="`+setUp+`"`)
	secret := strings.ReplaceAll(testkit.Find(t, `<code id="totp">([A-Z2-7 ]+)</code>`, form.Body), " ", "")
	b.Post(setUp, testkit.Form("do", "on", "code", w.CodeNow(t, secret), "current", testkit.Password)).
		Has(t, `<a class="btn" href="`+create+`">Done</a>`, `data-after="`+create+`"`)
	w.SignedIn(t, acme.Owner).Get("/account/two-step?next=https://evil.example").Lacks(t, "evil")
}
