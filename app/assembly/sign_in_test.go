package assembly_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
)

// rules.md, Audit log: a new password has an entry in the log of each organisation, which commits with
// it: where it cannot be written nothing happens, and no log is downloaded. Signing in and out have
// none. Package auditlog has the entry of a download.
func TestPasswordIsRecordedInEachLog(t *testing.T) {
	w := start(t)
	acme := w.tenant(0)
	globex := w.tenant(0)
	ann := acme.owner
	w.Join(globex.ID, ann.ID, "owner")
	b := w.signIn(ann, "")
	const changed = "battery horse staple"
	b.Post("/account/password",
		testkit.Form("current", password, "new", changed, "repeat", changed)).Is(t, 303)
	w.fillDisk()
	b.Get("/o/"+acme.Slug+"/settings/audit-log.csv").Is(t, 503)
	b.Post("/account/password",
		testkit.Form("current", changed, "new", password, "repeat", password)).Is(t, 503)
	b.Post("/sign-out", nil)
	require.Equal(t, slices.Sorted(slices.Values([]string{acme.ID, globex.ID})), testkit.One[[]string](w.World.World,
		`select array_agg(distinct org_id::text order by org_id::text)
		from audit_entries where action = 'password.changed'`))
	require.Equal(t, 2, w.Count(`audit_entries`))
	require.Equal(t, http.StatusSeeOther, signInWith(w.Browser(""), ann.Email, changed))
}
