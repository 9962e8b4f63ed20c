package assembly_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/platform/testkit/fixtures"
)

// ownerOf stores an owner of two organisations.
func (w *world) ownerOf(one, other tenant) fixtures.Person {
	p := w.Member(one.ID, "owner")
	w.Join(other.ID, p.ID, "owner")
	return p
}

// guess sends wrong passwords from an address and returns how many were compared. The others were
// locked out.
func (w *world) guess(address string, emails ...string) (compared int) {
	w.T.Helper()
	for _, email := range emails {
		status := http.StatusServiceUnavailable
		for try := 0; status == http.StatusServiceUnavailable && try < 20; try++ {
			// on a busy machine a request may get no place: then nothing was compared
			status = signInWith(w.Browser(address), email, wrongPassword)
		}
		if status == http.StatusUnauthorized {
			compared++
		} else {
			require.Equal(w.T, http.StatusTooManyRequests, status)
		}
	}
	return compared
}

// rules.md, Audit log: signing in, signing out and a download of the log have an entry in the log
// of each organisation. It commits with what it records: where it cannot be written nothing
// happens.
func TestSignInSignOutAndDownloadAreRecorded(t *testing.T) {
	w := start(t)
	acme := w.tenant(0)
	globex := w.tenant(0)
	ann := w.ownerOf(acme, globex)
	b := w.signIn(ann, "")
	log := "/o/" + acme.Slug + "/settings/audit-log.csv?action=sign_in&from=2026-01-01"
	status, body, _ := b.Send(log, nil)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, 2, strings.Count(body, "\n"), "the header and the sign-in: %s", body)
	b.Post("/sign-out")
	require.Equal(t, []string{"sign_in", "audit_log.exported", "sessions.ended: signed_out"},
		w.actions(acme.ID))
	require.Equal(t, []string{"sign_in", "sessions.ended: signed_out"}, w.actions(globex.ID))
	require.Empty(t, w.actions(w.tenant(0).ID))
	require.Equal(t, []string{
		ann.ID + " POST /sign-in 127.0.0.1 ",
		ann.ID + " GET /o/" + acme.Slug + "/settings/audit-log.csv 127.0.0.1 from to action zone",
		ann.ID + " POST /sign-out 127.0.0.1 ",
	}, fixtures.One[[]string](w.Database, `select array_agg(concat_ws(' ', actor_id, method, path,
		address, case action when 'audit_log.exported' then 'from to action zone' else '' end)
		order by at, id) from audit_entries where org_id = $1 and request_id <> ''`, acme.ID))
	require.JSONEq(t, `{"from": "2026-01-01", "zone": "UTC", "action": "sign_in"}`,
		fixtures.One[string](w.Database,
			`select details::text from audit_entries where action = 'audit_log.exported'`))

	b = w.signIn(ann, "")
	w.fillDisk()
	status, body, _ = b.Send(log, nil)
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.NotContains(t, body, ann.Email+",sign_in")
	status, _, _ = b.Post("/sign-out")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, http.StatusServiceUnavailable, signInWith(w.Browser(""), ann.Email, password))
	require.Equal(t, 1, fixtures.One[int](w.Database, `select count(*) from sessions`))
}

// A client is an IPv4 address or an IPv6 /64. Other clients can still sign in.
func TestOneClientCannotTrySixtyAccounts(t *testing.T) {
	w := start(t)
	x := w.tenant(0)
	var emails []string
	for range 60 {
		emails = append(emails, w.Member(x.ID, "owner").Email)
	}
	require.Equal(t, 20, w.guess("198.51.100.1", emails...))
	compared := 0
	for i, email := range emails {
		compared += w.guess(fmt.Sprintf("2001:db8:0:1::%x", i), email)
	}
	require.Equal(t, 20, compared)
	require.Equal(t, 1, w.guess("2001:db8:0:2::1", emails[0]))
	require.Equal(t, http.StatusSeeOther,
		signInWith(w.Browser("198.51.100.2"), emails[0], password))
	require.Equal(t, http.StatusTooManyRequests,
		signInWith(w.Browser("198.51.100.1"), emails[1], password),
		"a right password is refused too")
}

// rules.md, Audit log: beyond 20 sign-ins, sign-outs or failures of an account in a minute one
// entry of each log says how many more there were. Others have entries of their own. Where entries
// cannot be written, a failed sign-in is still answered as one.
func TestSignInsBeyondTwentyAreCounted(t *testing.T) {
	w := start(t)
	acme := w.tenant(0)
	globex := w.tenant(0)
	ann := w.ownerOf(acme, globex)
	const tries = 50
	const signIns = 30
	for range signIns {
		w.signIn(ann, "").Post("/sign-out")
	}
	w.signIn(acme.owner, "")
	w.guess("198.51.100.1", slices.Repeat([]string{ann.Email}, tries)...)
	require.Equal(t, 1, w.guess("198.51.100.2", "nobody@acme.example"))
	require.NoError(t, audit.New(w.DB).RecordBursts(t.Context()))
	entries := func(organisation, action string) []int { // recorded one by one, and counted
		return fixtures.One[[]int](w.Database, `select array[
			count(*) filter (where not details ? 'notRecorded'),
			coalesce(sum((details->>'notRecorded')::int), 0)] from audit_entries
			where org_id = $1 and action || case action when 'sign_in.failed' then reason else '' end
			  like $2 || '%' and action not like $2 || '.%'`, organisation, action)
	}
	require.Equal(t, []int{21, signIns - 20}, entries(acme.ID, "sign_in"))
	for _, x := range []string{acme.ID, globex.ID} {
		require.Equal(t, []int{20, signIns - 20}, entries(x, "sessions.ended"))
		require.Equal(t, []int{10, 0}, entries(x, "sign_in.failedwrong_password"))
		require.Equal(t, []int{10, tries - 20}, entries(x, "sign_in.failedlocked"))
		require.Equal(t, []int{1, 0}, entries(x, "sign_in.locked"))
	}
	require.Equal(t, []int{20, signIns - 20}, entries(globex.ID, "sign_in"))

	w.fillDisk()
	w.Exec(`delete from password_guesses`)
	require.Equal(t, http.StatusUnauthorized,
		signInWith(w.Browser("198.51.100.3"), ann.Email, wrongPassword))
	w.Exec(`alter table audit_burst_events add constraint full_disk check (false) not valid`)
	require.Equal(t, http.StatusServiceUnavailable, signInWith(w.Browser(""), ann.Email, password),
		"no sign-in without a count")
}
