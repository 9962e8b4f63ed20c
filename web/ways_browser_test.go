package web_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/browsertest"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// After a session ended in mid-form, the keyboard leads through the sign-in back to the empty form.
func TestSignInLeadsBackToTheFormInABrowser(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	vale := w.Organisation("vale")
	w.DB.Join(vale.ID, acme.Admin.ID, "admin")
	p := browsertest.New(t)
	p.SetTimezone("Europe/Amsterdam")
	p.Open(w.URL + "/sign-in")
	p.Press(acme.Admin.Email, "Tab", fixtures.Password, "Enter")
	p.WaitFor("#code")
	p.Press(w.CodeNow(t, fixtures.TOTPSecret), "Enter")
	p.WaitFor("header.top")
	p.Open(w.URL + acme.At("/settings/api-keys/new"))
	p.Fill("#name", "Warehouse")
	p.Click(`label[for="xday"]`)
	p.Fill("#day", "2027-01-02")
	require.Equal(t, "In your time zone (Europe/Amsterdam) the key expires on 2 Jan 2027, 01:00.",
		p.Text("[data-instant]"))
	w.DB.Exec(`delete from sessions`)
	p.Press("Enter")
	p.WaitFor(`strong:text("Your session has ended.")`)
	webtest.LooksRight(t, p, "sign-in after the session ended")
	p.Press(acme.Admin.Email, "Tab", fixtures.Password, "Enter")
	p.WaitFor("#code")
	p.Press(w.CodeNow(t, fixtures.TOTPSecret), "Enter")
	p.WaitFor("#name")
	require.Empty(t, p.Attr("#name", "value"))

	p.Press("Tab") // skip link, logo, then the list of organisations
	p.Click(".switch summary")
	p.WaitFor(".switch[open]")
	webtest.LooksRight(t, p, "the list of organisations")
	p.Press("Escape")
	p.WaitFor(".switch:not([open])")
	p.Click(".switch summary")
	p.Click(`.switch a:text("Organisation vale")`)
	require.Equal(t, vale.At("/settings/api-keys"), p.Path())
}
