package keys_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// An expiring key (30, 7, 1 days) is announced to every owner and admin at the top of every
// settings screen, most urgent first.
func TestExpiringKeysAreAnnounced(t *testing.T) {
	t.Parallel()
	now := noon
	w, acme := webtest.StartAt(t, &now)
	ends := now.Add(31 * 24 * time.Hour)
	key := w.NewKey(t, acme, "Warehouse", apikeys.ReportsRead)
	setKey(t, w, key, now.AddDate(0, 0, -90), nil, ends, nil)
	announced := func(who testkit.Person) []string {
		return webtest.Notes(t, w.SignedIn(t, who).Get(acme.At("/settings/organisation")))
	}
	say := func(left string) string {
		return "Warehouse expires " + left + ". 22 Dec 2026, 09:31 UTC Replace"
	}
	for _, c := range []struct {
		before time.Duration
		want   string // "": nothing is announced
	}{
		{30*24*time.Hour + time.Millisecond, ""},
		{30 * 24 * time.Hour, say("in 30 days")},
		{7 * 24 * time.Hour, "warn: " + say("in 7 days")},
		{24 * time.Hour, "bad: " + say("in 1 day")},
	} {
		now = ends.Add(-c.before)
		want := []string{}
		if c.want != "" {
			want = append(want, c.want)
		}
		require.Equal(t, want, announced(acme.AdminPlain), c.before)
	}
	now = ends.Add(-time.Hour)
	owner := w.SignedIn(t, acme.Owner)
	for _, screen := range []string{"/settings/api-keys", "/settings/audit-log"} {
		require.Contains(t, webtest.Notes(t, owner.Get(acme.At("%s", screen))), "bad: "+say("in 1 day"))
	}
	owner.Get(acme.At("/reports")).Lacks(t, "expires in")
}

// Three keys are named, those that expire first, and the others counted. Paused, revoked and
// expired keys are not announced.
func TestExpiryNoticesAreLimited(t *testing.T) {
	t.Parallel()
	now := noon
	w, acme := webtest.StartAt(t, &now)
	announced := func() []string {
		return webtest.Notes(t, w.SignedIn(t, acme.Owner).Get(acme.At("/settings/organisation")))
	}
	warehouse := w.NewKey(t, acme, "Warehouse", apikeys.ReportsRead)
	setKey(t, w, warehouse, now.AddDate(0, 0, -90), nil, now.Add(time.Hour), nil)
	for name, days := range map[string]int{"third": 3, "second": 2, "fourth": 9, "fifth": 29} {
		k := w.NewKey(t, acme, name, apikeys.ForksRead)
		setKey(t, w, k, now.AddDate(-1, 0, 0), nil, now.AddDate(0, 0, days), nil)
	}
	notes := announced()
	require.Len(t, notes, 4)
	for i, begin := range []string{
		"bad: Warehouse expires in 1 day.", "warn: second expires in 2 days.",
		"warn: third expires in 3 days.", "2 more keys expire within 30 days.",
	} {
		require.Contains(t, notes[i], begin)
	}
	w.DB.Exec(`update organisations set plan = 'team' where id = $1`, acme.ID)
	require.Empty(t, announced())
	w.DB.Exec(`update organisations set plan = 'pro' where id = $1`, acme.ID)
	w.DB.Exec(`update api_keys set revoked_at = now() where name <> 'fifth'`)
	require.Len(t, announced(), 1)
}
