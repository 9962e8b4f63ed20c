package keys_test

import (
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// noon is the time of tests whose clock is set.
var noon = time.Date(2026, 11, 21, 9, 31, 0, 0, time.UTC)

func setKey(
	t *testing.T, w *webtest.World, k apikeys.Key, created time.Time, used, expires, revoked any,
) {
	w.DB.Exec(
		`update api_keys set created_at = $2, last_used_at = $3, expires_at = $4, revoked_at = $5 where id = $1`,
		k.ID, created, used, expires, revoked,
	)
}

func row(t *testing.T, p testkit.Page, name string) string {
	t.Helper()
	for row := range strings.SplitSeq(p.Body, "<tr ") {
		if strings.Contains(row, "data-name>"+html.EscapeString(name)+"<") {
			return testkit.TextOf(row)
		}
	}
	t.Fatalf("no row of %q in:\n%s", name, p.Body)
	return ""
}

// The list has each key's state, times, scopes and creator, the newest key first. Revoked and expired
// keys are folded.
func TestKeysAreListed(t *testing.T) {
	t.Parallel()
	now := noon
	w, acme := webtest.StartAt(t, &now)
	day := 24 * time.Hour
	forks := apikeys.ForksRead
	reports := apikeys.ReportsRead
	add := func(name string, ago time.Duration, used, expires, revoked any,
		scopes ...apikeys.Scope) apikeys.Key {
		k := w.NewKey(t, acme, name, scopes...)
		setKey(t, w, k, now.Add(-ago), used, expires, revoked)
		return k
	}
	add("old", 300*day, now.Add(-299*day), now.Add(-time.Second), nil, reports)
	bi := add("BI", 2*day, now.Add(-time.Minute), now.Add(72*day), nil, reports, forks)
	add("never", 3*day, nil, nil, nil, forks)
	add("soon", 40*day, nil, now.Add(4*day+15*time.Hour), nil, reports)
	gone := add("gone", 8*day, nil, now.Add(-day), now.Add(-2*day), reports)

	p := w.SignedIn(t, acme.AdminPlain).Get(acme.At("/settings/api-keys")).Is(t, 200)
	require.Equal(t,
		"BI dg_live_"+bi.ID+
			"_… Active Until 1 Feb 2027, 09:31 UTC Forks, reports 19 Nov 2026 owner of acme None Last used 21 "+
			"Nov 2026, 09:30 UTC Revoke BI", row(t, p, "BI"))
	require.Contains(t, row(t, p, "never"),
		"Active Never expires Forks 18 Nov 2026 owner of acme None Never used Revoke never")
	require.Contains(t, row(t, p, "soon"), "Expires in 5 days On 26 Nov 2026, 00:31 UTC Reports")
	require.Equal(t,
		"gone dg_live_"+gone.ID+
			"_… Revoked Since 19 Nov 2026, 09:31 UTC Reports 13 Nov 2026 owner of acme Never used Audit log of gone",
		row(t, p, "gone"))
	require.Contains(t, row(t, p, "old"), "Expired Since 21 Nov 2026, 09:30 UTC Reports")
	require.Contains(t, p.Body, `<time datetime="2027-02-01T09:31:00.000Z" data-local="minute">`,
		"the script puts it into the reader's zone")

	require.Equal(t, [][]string{{"BI"}, {"never"}, {"soon"}, {"gone"}, {"old"}},
		testkit.Cells(`data-name>([^<]+)<`, p.Body))
	_, fold, found := strings.Cut(p.Body, "<details>")
	require.True(t, found)
	require.Contains(t, fold, "Revoked and expired (2)")
	require.NotContains(t, fold, `data-name>BI<`)
	fold, _, _ = strings.Cut(fold, "</details>")
	require.NotContains(t, fold, "/revoke", "nothing to revoke")
}

func TestManyRevokedKeysArePaged(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	w.NewKey(t, acme, "BI", apikeys.ForksRead)
	w.ManyKeys(acme, "revoked ", 1105, 0)
	p := b.Get(acme.At("/settings/api-keys"))
	p.Has(t, "Revoked and expired (1,099)", "1–100 of 1,099", acme.At("/settings/api-keys?page=2"))
	p.Lacks(t, "data-name>revoked 999<")
	p.Has(t, "The audit log has the oldest keys.")
	b.Get(acme.At("/settings/api-keys?page=2")).Has(t, "data-name>revoked 999<", "<details open>",
		"data-name>BI<")
}

// Below the plan a notice takes the place of the button. Listing and revoking still work.
func TestKeysBelowThePlanAreListedAndRevoked(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	key := w.NewKey(t, o, "BI", apikeys.ForksRead)
	w.DB.Exec(`update organisations set plan = 'team' where id = $1`, o.ID)
	list := b.Get(o.At("/settings/api-keys")).Is(t, 200).Lacks(t, "/settings/api-keys/new\"").
		Has(t, `href="`+o.At("/settings/organisation")+`">See the plan`)
	require.Contains(t, webtest.Notes(t, list)[0],
		"warn: The API comes with the Pro plan. Keys are paused")
	require.Contains(t, row(t, list, "BI"), "Paused by plan Never expires")
	b.Post(o.At("/settings/api-keys/%s/revoke", key.ID), url.Values{}).Is(t, 303)
}

// rules.md, Keys: the list shows the requests of the last 30 days of each key that works. Neither it
// nor the page of a key waits for them longer than a second.
func TestKeyListShowsUsage(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	used := w.NewKey(t, acme, "Used", apikeys.ReportsRead)
	revoked := w.NewKey(t, acme, "Gone", apikeys.ReportsRead)
	usageOf(w, acme, used, 0, 1_000, 200, 34)
	usageOf(w, acme, used, 15, 1, 0, 0)
	usageOf(w, acme, used, 30, 9_000, 0, 0)
	usageOf(w, acme, revoked, 0, 1_777, 0, 0)
	w.DB.Exec(`update api_keys set revoked_at = now() where id = $1`, revoked.ID)
	p := b.Get(acme.At("/settings/api-keys"))
	require.Contains(t, row(t, p, "Used"), "1,235 Never used Revoke")
	require.NotContains(t, p.Body, "1,777", "a key that has ended shows none")
	p.Has(t, `<path d="M1415 1157v77h70v-77zM2915 0v1234h70v-1234z"/>`) // a single request is seen

	lock := w.DB.Begin(`lock table api_key_usage in access exclusive mode`)
	p = b.Get(acme.At("/settings/api-keys"))
	page := b.Get(acme.At("/settings/api-keys/%s", used.ID))
	require.NoError(t, lock.Rollback(t.Context()))
	require.Contains(t, row(t, p, "Used"), "Not available Never used Revoke",
		"a key can be revoked while its requests cannot be read")
	page.Is(t, 200).Has(t, "<p>Not available. Try again in a moment.</p>", "/revoke")
}

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
