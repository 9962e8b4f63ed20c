package web_test

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
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

// The list of organisations opens by a click, finds by typing and closes by Escape. Times are in the
// reader's time zone, with UTC as their title.
func TestOrganisationIsSwitchedInABrowser(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	vale := w.Organisation("vale")
	w.DB.Join(vale.ID, acme.Owner.ID, "admin")
	for i := range 8 { // a longer list has a field that finds
		w.DB.Join(w.Organisation(fmt.Sprint("o", i)).ID, acme.Owner.ID, "admin")
	}
	w.NewKey(t, acme, "BI", apikeys.ForksRead)
	w.DB.Exec(`update api_keys set expires_at = '2199-01-02'`)
	p := browsertest.New(t)
	browsertest.Do(p, "change the time zone", browsertest.Command(emulation.SetTimezoneOverride,
		emulation.SetTimezoneOverrideParams{TimezoneID: "Europe/Amsterdam"}))
	webtest.SignInWith(p, w, acme.Owner, acme.At("/settings/api-keys/new"))
	p.Click(`label[for="xday"]`)
	p.Fill("#day", "2027-01-02")
	require.Equal(t, "In your time zone (Europe/Amsterdam) the key expires on 2 Jan 2027, 01:00.",
		p.Text("[data-instant]"))
	p.Open(acme.At("/settings/api-keys"))
	require.Equal(t, "2 Jan 2199, 01:00", p.Text(`td[data-label="Status"] time`))
	require.Equal(t, "2 Jan 2199, 00:00 UTC", p.Attr(`td[data-label="Status"] time`, "title"))
	require.Contains(t, p.Text("[data-zone]"), "Europe/Amsterdam")
	p.Click(".switch summary")
	p.WaitFor(".switch[open]")
	webtest.RequireAccessible(t, p, "the list of organisations")
	p.Press(kb.Escape)
	p.WaitFor(".switch:not([open])")
	p.Click(".switch summary")
	p.Press("VALE", kb.Enter)
	require.Equal(t, vale.At("/reports"), p.Path())
}
