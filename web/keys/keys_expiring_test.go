package keys_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/web/internal/webtest"
)

// Keys that expire within 30 days are announced to owners and admins above every settings screen: the
// first three by name, more urgently from 7 days and from one day on, and the number of the others.
// Paused, revoked and expired keys are not announced.
func TestExpiringKeysAreAnnounced(t *testing.T) {
	t.Parallel()
	now := noon
	w, acme := webtest.StartAt(t, &now)
	b := w.SignedIn(t, acme.Admin)
	announced := func(screen string) []string { return webtest.Notes(t, b.Get(acme.At("%s", screen))) }
	day := 24 * time.Hour
	for name, left := range map[string]time.Duration{
		"expired": 0, "first": day, "second": 7 * day, "third": 8 * day, "fourth": 9 * day,
		"fifth": 30 * day, "later": 30*day + time.Millisecond,
	} {
		k := w.NewKey(t, acme, name, apikeys.ForksRead)
		setKey(t, w, k, now.AddDate(-1, 0, 0), nil, now.Add(left), nil)
	}
	want := []string{
		"bad: first expires in 1 day. 22 Nov 2026, 09:31 UTC",
		"warn: second expires in 7 days. 28 Nov 2026, 09:31 UTC",
		"third expires in 8 days. 29 Nov 2026, 09:31 UTC",
		"2 more keys expire within 30 days.",
	}
	for _, screen := range []string{"organisation", "api-keys", "audit-log"} {
		notes := announced("/settings/" + screen)
		require.Len(t, notes, len(want))
		for i, n := range want {
			require.Contains(t, notes[i], n)
		}
	}
	b.Get(acme.At("/reports")).Lacks(t, "expires in")
	w.DB.Exec(`update organisations set plan = 'team' where id = $1`, acme.ID)
	require.Empty(t, announced("/settings/organisation"))
	w.DB.Exec(`update organisations set plan = 'pro' where id = $1`, acme.ID)
	w.DB.Exec(`update api_keys set revoked_at = now() where name <> 'fifth'`)
	require.Len(t, announced("/settings/organisation"), 1)
}
