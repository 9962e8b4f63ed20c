package assembly_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The entry commits with the session: where it cannot be written there is no session.
func TestSignInIsRecordedInEachOrganisation(t *testing.T) {
	w := start(t)
	acme := w.organisation("acme")
	globex := w.organisation("globex")
	other := w.organisation("other")
	ann := w.person("ann@acme.example", acme, globex)
	w.person("bob@other.example", other)
	b := w.browser()
	require.Equal(t, http.StatusSeeOther, b.signIn("ann@acme.example", password))
	for _, o := range []string{acme, globex} {
		require.Equal(t, []string{"sign_in"}, w.actions(o))
	}
	require.Empty(t, w.actions(other))
	require.Equal(t, ann+" POST /sign-in 127.0.0.1 Firefox",
		one[string](w, `select concat_ws(' ', actor_id, method, path, address, user_agent)
		from audit_entries where org_id = $1`, acme))
	require.NotEmpty(t,
		one[string](w, `select request_id from audit_entries where org_id = $1`, acme))

	sessions := one[int](w, `select count(*) from sessions`)
	w.exec(`alter table audit_entries add constraint full_disk check (false) not valid`)
	require.Equal(t, http.StatusServiceUnavailable,
		w.browser().signIn("ann@acme.example", password))
	require.Equal(t, sessions, one[int](w, `select count(*) from sessions`))
}

// The entry comes before the first byte; HEAD downloads nothing.
func TestDownloadOfTheLogIsRecorded(t *testing.T) {
	w := start(t)
	acme := w.organisation("acme")
	w.person("ann@acme.example", acme)
	b := w.browser()
	require.Equal(t, http.StatusSeeOther, b.signIn("ann@acme.example", password))
	path := "/o/acme/settings/audit-log.csv?action=sign_in&from=2026-01-01"
	head, _ := b.send(http.MethodHead, path, nil)
	require.Equal(t, http.StatusOK, head.StatusCode)
	require.Equal(t, []string{"sign_in"}, w.actions(acme))
	answer, body := b.send(http.MethodGet, path, nil)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, 2, strings.Count(body, "\n"), "the header and the sign-in: %s", body)
	require.Equal(t, []string{"sign_in", "audit_log.exported"}, w.actions(acme))
	require.Equal(t, `{"from": "2026-01-01", "zone": "UTC", "action": "sign_in"}`,
		one[string](w,
			`select details::text from audit_entries where action = 'audit_log.exported'`))

	w.exec(`alter table audit_entries add constraint full_disk check (false) not valid`)
	answer, body = b.send(http.MethodGet, path, nil)
	require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	require.NotContains(t, body, "ann@acme.example,sign_in")
}

// The entry commits with the end of the session: where it cannot be written the session continues.
func TestSignOutIsRecorded(t *testing.T) {
	w := start(t)
	acme := w.organisation("acme")
	globex := w.organisation("globex")
	ann := w.person("ann@acme.example", acme, globex)
	b := w.browser()
	require.Equal(t, http.StatusSeeOther, b.signIn("ann@acme.example", password))
	answer, _ := b.post("/sign-out")
	require.Equal(t, "/sign-in", answer.Header.Get("Location"))
	for _, o := range []string{acme, globex} {
		require.Equal(t, []string{"sign_in", "sessions.ended: signed_out"}, w.actions(o))
	}
	require.Equal(t, ann+" POST /sign-out 127.0.0.1 Firefox",
		one[string](w, `select concat_ws(' ', actor_id, method, path, address, user_agent)
		from audit_entries where org_id = $1 and reason = 'signed_out'`, acme))

	b = w.browser()
	require.Equal(t, http.StatusSeeOther, b.signIn("ann@acme.example", password))
	w.exec(`alter table audit_entries add constraint full_disk check (false) not valid`)
	answer, _ = b.post("/sign-out")
	require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	require.Equal(t, 1, one[int](w, `select count(*) from sessions`))
}
