package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit/browsertest"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// rules.md, Keys. The session is older than 15 minutes when the form is sent: it asks in place,
// says there that the password is wrong, keeps all, and then shows the key. By keyboard, on a
// phone.
func TestPasswordIsAskedAgainByKeyboard(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	p := browsertest.New(t)
	p.AllowError("status of 422")
	webtest.ToAccount(p, w, acme.Admin)
	p.Press(w.CodeNow(t, fixtures.TOTPSecret), "Enter")
	p.WaitFor("header.top")
	p.Emulate(320, false)
	p.Open(w.URL + acme.At("/settings/api-keys/new"))
	require.False(t, p.Has("#current"))
	p.Fill("#name", "Warehouse")
	p.Click(`label[for="sr"]`)
	p.Click(`label[for="xday"]`)
	p.Fill("#day", "2199-12-31")
	age(w, "15 minutes 1 second")
	p.Press("Enter")
	p.WaitFor("#errors")
	require.Equal(t, "Confirm your identity", p.Text("fieldset.form legend"))
	pictures(p, "password-again")

	p.Press("Tab", "Enter") // from the errors along the link of the first
	require.Equal(t, "<input#current>", p.Focused())
	p.Press("wrong horse battery", "Tab", "Tab", w.CodeNow(t, fixtures.TOTPSecret), "Enter")
	p.WaitFor("#current-error")
	require.Equal(t, "The password is wrong.", p.Text("#current-error"))
	pictures(p, "password-again-wrong")
	p.Press("Tab", "Enter", fixtures.Password, "Tab", "Tab", w.CodeNow(t, fixtures.TOTPSecret), "Enter")
	p.WaitFor("#secret")
	keys := w.AllKeys(t, acme)
	require.Len(t, keys, 1)
	require.Equal(t, "Warehouse", keys[0].Name)
	require.Equal(t, []apikeys.Scope{apikeys.ReportsRead}, keys[0].Scopes)
	require.Equal(t, "2199-12-31", keys[0].ExpiresAt.UTC().Format("2006-01-02"))
	p.DismissLeavePrompts()
}

// pictures saves a page, on a phone and on a desk, into the folder DG_SHOTS, if that is set.
func pictures(p *browsertest.Page, name string) {
	dir := os.Getenv("DG_SHOTS")
	for _, width := range []int{1280, 320} {
		p.Emulate(width, false)
		if dir != "" {
			p.Screenshot(filepath.Join(dir, fmt.Sprintf("%s-%d.png", name, width)))
		}
	}
}
