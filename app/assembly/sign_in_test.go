package assembly_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

// guess sends wrong passwords from an address and returns how many were compared; the others were
// locked out.
func (w *world) guess(address string, emails ...string) (compared int) {
	w.t.Helper()
	for _, email := range emails {
		b := w.browser()
		b.address = address
		status := b.signIn(email, wrongPassword)
		for range 20 {
			if status != http.StatusServiceUnavailable {
				break
			}
			// on a busy machine some wait in vain for a place: nothing was compared, and they retry
			status = b.signIn(email, wrongPassword)
		}
		switch status {
		case http.StatusUnauthorized, http.StatusUnprocessableEntity:
			compared++
		default:
			require.Equal(w.t, http.StatusTooManyRequests, status)
		}
	}
	return compared
}

// The known browser has a limit of its own.
func TestKnownBrowserIsOutsideTheLock(t *testing.T) {
	w := start(t)
	acme := w.organisation("acme")
	w.person("ann@acme.example", acme)
	w.person("bob@acme.example", acme)
	known := w.browser()
	known.address = "192.0.2.7"
	require.Equal(t, http.StatusSeeOther, known.signIn("ann@acme.example", password))
	delete(known.cookies, "__Host-dg") // ends the session; the browser stays known

	require.Equal(t, 10,
		w.guess("198.51.100.1", slices.Repeat([]string{"ann@acme.example"}, 12)...))
	stranger := w.browser()
	stranger.address = "192.0.2.7"
	require.Equal(t, http.StatusTooManyRequests, stranger.signIn("ann@acme.example", password))
	require.Equal(t, http.StatusSeeOther, known.signIn("ann@acme.example", password))
	delete(known.cookies, "__Host-dg")

	require.Equal(t, 10,
		w.guess("198.51.100.2", slices.Repeat([]string{"bob@acme.example"}, 12)...))
	require.Equal(t, http.StatusTooManyRequests, known.signIn("bob@acme.example", password),
		"known for one account only")
	for i := range 6 {
		status := known.signIn("ann@acme.example", wrongPassword)
		require.Equal(t, i == 5, status == http.StatusTooManyRequests, "%d", i)
	}
	require.Equal(t, http.StatusTooManyRequests, known.signIn("ann@acme.example", password))
}

// A client is an IPv4 address or an IPv6 /64. Other clients sign in meanwhile.
func TestOneClientCannotTrySixtyAccounts(t *testing.T) {
	w := start(t)
	acme := w.organisation("acme")
	var emails []string
	for i := range 60 {
		emails = append(emails, fmt.Sprintf("person%d@acme.example", i))
		w.person(emails[i], acme)
	}
	require.Equal(t, 20, w.guess("198.51.100.1", emails...))
	compared := 0
	for i, email := range emails {
		compared += w.guess(fmt.Sprintf("2001:db8:0:1::%x", i), email)
	}
	require.Equal(t, 20, compared)
	require.Equal(t, 1, w.guess("2001:db8:0:2::1", emails[0]))
	other := w.browser()
	other.address = "198.51.100.2"
	require.Equal(t, http.StatusSeeOther, other.signIn(emails[0], password))
	held := w.browser()
	held.address = "198.51.100.1"
	require.Equal(t, http.StatusTooManyRequests, held.signIn(emails[1], password),
		"a right password is refused too")
}

// 50 at once: from one address at many accounts, and from many addresses at one account.
func TestConcurrentFailuresAreCountedExactly(t *testing.T) {
	w := start(t)
	acme := w.organisation("acme")
	w.person("ann@acme.example", acme)
	concurrently := func(address, email func(nth int) string) int {
		var mu sync.Mutex
		var all sync.WaitGroup
		compared := 0
		for nth := range 50 {
			all.Go(func() {
				n := w.guess(address(nth), email(nth))
				mu.Lock()
				defer mu.Unlock()
				compared += n
			})
		}
		all.Wait()
		return compared
	}
	same := func(text string) func(int) string { return func(int) string { return text } }
	differ := func(format string) func(int) string {
		return func(nth int) string { return fmt.Sprintf(format, nth) }
	}
	require.Equal(t, 20, concurrently(same("198.51.100.1"), differ("person%d@acme.example")))
	require.Equal(t, 10, concurrently(differ("203.0.113.%d"), same("ann@acme.example")))
}

// Beyond 20 of a person in a minute one entry of each log says how many more there were. Others
// have entries of their own.
func TestManySignInsAndSignOutsAreCounted(t *testing.T) {
	w := start(t)
	acme := w.organisation("acme")
	globex := w.organisation("globex")
	w.person("ann@acme.example", acme, globex)
	w.person("bob@acme.example", acme)
	const signIns = 30
	b := w.browser()
	for range signIns {
		require.Equal(t, http.StatusSeeOther, b.signIn("ann@acme.example", password))
		b.post("/sign-out")
	}
	require.Equal(t, http.StatusSeeOther, w.browser().signIn("bob@acme.example", password))
	require.NoError(t, audit.New(w.DB).RecordBursts(t.Context()))
	entries := func(organisation, action string) []int { // recorded one by one, and counted
		return one[[]int](w, `select array[count(*) filter (where not details ? 'notRecorded'),
			coalesce(sum((details->>'notRecorded')::int), 0)] from audit_entries where org_id = $1 and action = $2`,
			organisation, action)
	}
	require.Equal(t, []int{21, signIns - 20}, entries(acme, "sign_in"))
	require.Equal(t, []int{20, signIns - 20}, entries(globex, "sign_in"))
	require.Equal(t, []int{20, signIns - 20}, entries(acme, "sessions.ended"))
	w.exec(`alter table audit_burst_events add constraint full_disk check (false) not valid`)
	require.Equal(t, http.StatusServiceUnavailable, b.signIn("ann@acme.example", password),
		"no sign-in without a count")
}

// Beyond 20 failures of an account in a minute one entry of each log says how many more there were.
// Where entries cannot be written, a failed sign-in is still answered as one.
func TestFailuresAreRecordedInEachOrganisation(t *testing.T) {
	w := start(t)
	acme := w.organisation("acme")
	globex := w.organisation("globex")
	w.person("ann@acme.example", acme, globex)
	const tries = 50
	w.guess("198.51.100.1", slices.Repeat([]string{"ann@acme.example"}, tries)...)
	require.Equal(t, 1, w.guess("198.51.100.2", "nobody@acme.example"))
	require.NoError(t, audit.New(w.DB).RecordBursts(t.Context()))
	for _, o := range []string{acme, globex} {
		found := one[[]int](w, `select array[
			count(*) filter (where reason = 'wrong_password' and not details ? 'notRecorded'),
			count(*) filter (where reason = 'locked' and not details ? 'notRecorded'),
			sum((details->>'notRecorded')::int),
			count(*) filter (where action = 'sign_in.locked'),
			count(*) filter (where action not in ('sign_in.failed', 'sign_in.locked'))]
			from audit_entries where org_id = $1`, o)
		require.Equal(t, []int{10, 10, tries - 20, 1, 0}, found)
	}
	require.Equal(t, "POST /sign-in 198.51.100.1",
		one[string](w, `select concat_ws(' ', method, path, address) from audit_entries
		where org_id = $1 and action = 'sign_in.locked'`, acme))

	w.exec(`alter table audit_entries add constraint full_disk check (false) not valid`)
	b := w.browser()
	b.address = "198.51.100.3"
	w.exec(`delete from password_guesses`)
	require.Equal(t, http.StatusUnauthorized, b.signIn("ann@acme.example", wrongPassword))
}
