package assembly_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
)

// ownerOf stores an owner of two organisations.
func (w *world) ownerOf(one, other tenant) testkit.Person {
	p := w.Member(one.ID, "owner")
	w.Join(other.ID, p.ID, "owner")
	return p
}

// rules.md, Audit log: a new password and a download of the log have an entry, signing in and out
// have none. The entry of a password is in the log of each organisation and commits with it: where
// it cannot be written nothing happens.
func TestPasswordAndDownloadAreRecorded(t *testing.T) {
	w := start(t)
	acme := w.tenant(0)
	globex := w.tenant(0)
	ann := w.ownerOf(acme, globex)
	b := w.signIn(ann, "")
	log := "/o/" + acme.Slug + "/settings/audit-log.csv?action=password.changed&from=2026-01-01"
	const changed = "battery horse staple"
	b.Post("/account/password",
		testkit.Form("current", password, "new", changed, "repeat", changed)).Is(t, 303)
	body := b.Get(log).Is(t, 200).Body
	require.Equal(t, 2, strings.Count(body, "\n"), "the header and the password: %s", body)
	w.fillDisk()
	b.Get(log).Is(t, 503)
	b.Post("/account/password",
		testkit.Form("current", changed, "new", password, "repeat", password)).Is(t, 503)
	b.Post("/sign-out", nil)
	require.Equal(t, []string{"password.changed", "audit_log.exported"}, w.actions(acme.ID))
	require.Equal(t, []string{"password.changed"}, w.actions(globex.ID))
	require.Empty(t, w.actions(w.tenant(0).ID))
	require.Equal(t, http.StatusSeeOther, signInWith(w.Browser(""), ann.Email, changed))
}
