package web_test

import (
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// A person of several organisations switches between their reports; of one as member they see the
// account alone. Screens of no organisation offer the choice. A person of one is offered no switch.
func TestOrganisationIsSwitched(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	vale := w.OrganisationOf(testkit.Organisation{Slug: "a&b", Name: "Vale <b>"})
	club := w.Organisation("club")
	w.DB.Join(vale.ID, acme.Owner.ID, "admin")
	w.DB.Join(club.ID, acme.Owner.ID, "member")
	b := w.SignedIn(t, acme.Owner)
	for path, chosen := range map[string]bool{
		acme.At("/settings/audit-log"): true, "/docs": false, "/account": false,
	} {
		p := b.Get(path).Has(t,
			`<li><a href="`+html.EscapeString(vale.At("/reports"))+`"><bdi>Vale &lt;b&gt;</bdi></a></li>`,
			`<li><a href="/account"><bdi>Organisation club</bdi></a></li>`)
		require.Equal(t, !chosen, strings.Contains(p.Body, "Choose organisation"), path)
		require.Equal(t, chosen,
			strings.Contains(p.Body, `aria-current="true"><bdi>Organisation acme</bdi>`), path)
	}
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
