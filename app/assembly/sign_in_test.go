package assembly_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
	status, _, _ := b.Post("/account/password",
		"current", password, "new", changed, "repeat", changed)
	require.Equal(t, http.StatusSeeOther, status)
	status, body, _ := b.Send(log, nil)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, 2, strings.Count(body, "\n"), "the header and the password: %s", body)
	w.fillDisk()
	status, _, _ = b.Send(log, nil)
	require.Equal(t, http.StatusServiceUnavailable, status)
	status, _, _ = b.Post("/account/password",
		"current", changed, "new", password, "repeat", password)
	require.Equal(t, http.StatusServiceUnavailable, status)
	b.Post("/sign-out")
	require.Equal(t, []string{"password.changed", "audit_log.exported"}, w.actions(acme.ID))
	require.Equal(t, []string{"password.changed"}, w.actions(globex.ID))
	require.Empty(t, w.actions(w.tenant(0).ID))
	require.Equal(t, http.StatusSeeOther, signInWith(w.Browser(""), ann.Email, changed))
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
