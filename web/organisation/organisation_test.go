package organisation_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// The page shows the plan, the reporting mode, and the members, owners first, with their two-step verification.
func TestOrganisationShowsPlanModeAndMembers(t *testing.T) {
	w := webtest.Start(t)
	acme := w.StoreOrganisation(testkit.Organisation{Slug: "acme", Name: "<b>Acme</b> \"\u202e\" & sons"})
	w.DB.Exec(`update users set name = $1 where id = $2`, `=cmd|'<script>alert(1)</script>`, acme.Admin.ID)
	w.DB.Exec(`update users set name = email where id = $1`, acme.Member.ID)
	w.DB.Exec(`update users set totp_secret = $1, totp_since = '2026-01-12T09:30:00Z' where id = $2`,
		testkit.TOTPSecret, acme.Member.ID)
	p := w.SignIn(t, acme.AdminPlain).Get(acme.Path("/settings/organisation"))
	p.Has(t, "<p>Pro, with the API</p>", "<p>Pseudonymous</p>",
		"never by name", "Two-step verification is on for 2 of 4 members.",
		`On since <time datetime="2026-01-12T09:30:00.000Z" data-local="day">12 Jan 2026</time>`,
		"<bdi>&lt;b&gt;Acme&lt;/b&gt; &#34;\u202e&#34; &amp; sons</bdi>",
		"<bdi>=cmd|&#39;&lt;script&gt;alert(1)&lt;/script&gt;</bdi>",
		"<bdi>member@acme.example</bdi>", `<span class="state on">On`,
		`<span class="state warn">Off</span>`, "Only an owner can change this.").Lacks(t, "<script>")
	require.Equal(t, 1, strings.Count(p.Body, "member@acme.example"), "a name that is the e-mail, once")
	order := []int{strings.Index(p.Body, "owner@acme"), strings.Index(p.Body, "admin@acme"),
		strings.Index(p.Body, "admin-plain@acme"), strings.Index(p.Body, "member@acme")}
	require.IsIncreasing(t, order, "owners first, then by name: = stands before a")
	w.DB.Exec(`update organisations set plan = 'team', reporting_mode = 'nominative' where id = $1`, acme.ID)
	w.SignIn(t, acme.Owner).Get(acme.Path("/settings/organisation")).Has(t,
		"<p>Team, without the API</p>", "by their display name")
}

// The page lists 500 members of a large organisation, and says how many more there are.
func TestLargeOrganisationListsSomeMembers(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	w.DB.Exec(`with made as (
			insert into users (id, email, email_key, name)
			  select lpad(i::text, 32, '0')::uuid, i || '@acme.example', i || '@acme.example', 'N'
			    from generate_series(1, 600) i returning id)
		insert into memberships (org_id, user_id, role) select $1, id, 'member' from made`, acme.ID)
	p := b.Get(acme.Path("/settings/organisation")).Has(t, "104 more members are not listed.",
		"Two-step verification is on for 1 of 500 listed members.", "owner@acme.example")
	require.Equal(t, 500, strings.Count(p.Body, `data-label="Two-step"`))
}

// The form explains the change. Then the settings show the new mode, and the log has the old and the new mode.
func TestOwnerChangesTheReportingMode(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	form := acme.Path("/settings/organisation/reporting-mode")
	screen := acme.Path("/settings/organisation")
	b.Get(form).Has(t, `value="pseudonymous" checked`, "also for past plays", "Today no key can read them.",
		"Owners and admins: on the screens, and in the CSV files that they download.",
		"groups stay hidden when fewer than 5 of their members played",
		"Files that were exported with names keep the names when you change back.",
		"A play keeps its <code>playId</code> in both modes", "switch at the next request")
	for _, c := range []struct{ mode, shown, message string }{
		{"pseudonymous", "Pseudonymous", "The reporting mode is pseudonymous."},
		{"nominative", "Nominative", "Reporting mode changed. Reports, exports and the API now show names."},
		{"pseudonymous", "Pseudonymous", "Reporting mode changed. Reports, exports and the API no longer show names."},
	} {
		testkit.RequireRedirect(t, screen, b.Post(form, testkit.Form("mode", c.mode, "organisation", acme.Name)))
		require.Equal(t, c.message, webtest.NoteTexts(t, b.Get(screen).Has(t, "<p>"+c.shown+"</p>"))[0])
	}
	last := w.LogOf(t, acme)[0]
	require.Equal(t, form, last.Request.Path)
	require.Equal(t, audit.ReportingModeChanged, last.Action)
	require.Equal(t, audit.Actor{Kind: audit.Person, ID: acme.Owner.ID, Name: acme.Owner.Name}, last.Actor)
	require.Equal(t, audit.Target{Kind: "organisation", ID: acme.ID}, last.Target)
	require.Equal(t, map[string]any{"from": "nominative", "to": "pseudonymous"}, last.Details)
	for _, mode := range []string{"", "open", "nominative\x00", strings.Repeat("n", 10_000)} {
		b.Post(form, testkit.Form("mode", mode)).Is(t, 400).Has(t,
			`id="mode-error">Choose one of the two`, "<title>Error: ")
	}
	require.Len(t, w.LogOf(t, acme), 2)
}

// Nominative reporting requires the organisation's name. The form counts the keys that will read names, and lists five.
func TestNominativeReportingNeedsTheTypedName(t *testing.T) {
	w := webtest.Start(t)
	acme := w.StoreOrganisation(testkit.Organisation{Slug: "acme", Name: "Ac\u200bme <Works>  e\u0301"})
	for _, name := range []string{"One", "Two", "Three", "Four", "Five", "Six & co"} {
		w.NewKey(t, acme, name, apikeys.ReportsRead)
	}
	w.NewKey(t, acme, "Forks only", apikeys.ForksRead)
	revoked := w.NewKey(t, acme, "Old", apikeys.ReportsRead)
	expired := w.NewKey(t, acme, "Expired", apikeys.ReportsRead)
	w.DB.Exec(`update api_keys set created_at = '2020-01-01', expires_at = '2020-01-02' where id = $1`, expired.ID)
	b := w.SignIn(t, acme.Owner)
	b.Post(acme.Path("/settings/api-keys/%s/revoke", revoked.ID), url.Values{})
	form := acme.Path("/settings/organisation/reporting-mode")
	require.Contains(t, testkit.TextOf(b.Get(form).Lacks(t, "Forks only").Body),
		"Today 6 keys can read them: Six & co Five Four Three Two and others")
	entryCount := len(w.LogOf(t, acme))
	for _, typed := range []string{
		"", " ", "acme", "Acme Works é", "nominative", strings.Repeat("x", 10_000), "\x00\xff",
	} {
		b.Post(form, testkit.Form("mode", "nominative", "organisation", typed)).Is(t, 400).Has(t,
			`id="organisation-error">To show names, type the name of the organisation: `+
				"\u2068Ac\u200bme &lt;Works&gt;  e\u0301\u2069</p>", `value="nominative" checked`)
	}
	require.Len(t, w.LogOf(t, acme), entryCount, "nothing was changed")
	b.Post(form, testkit.Form("mode", "nominative", "organisation", " ACME  <works> \u00e9 ")).Is(t, 303)
	b.Get(form).Lacks(t, `name="organisation"`)
	b.Post(form, testkit.Form("mode", "pseudonymous")).Is(t, 303)
}

// The settings list groups with their ids, 25 a page. Above 20 groups a search ignores case and accents.
func TestSettingsListGroupIDs(t *testing.T) {
	w, o, b := webtest.StartAsOwner(t)
	other := w.AddOrganisation("other")
	w.DB.AddGroupNamed(other.ID, "theirs", w.DB.AddPlayers(other.ID, 3)...)
	var want, found [][]string
	for i := range 101 {
		name := fmt.Sprintf("Équipe %d", i)
		want = append(want, []string{name, w.DB.AddGroupNamed(o.ID, name)})
	}
	const row = `<bdi>([^<]*)</bdi></th><td role="cell" class="n" data-label="Members">0</td><td role="cell" class="mono"><span class="id">` +
		`<code id="group-id\d+" translate="no">([0-9a-f-]{36})</code>`
	first := b.Get(o.Path("/settings/organisation")).Has(t, `<span>1–25 of 101</span>`)
	found = testkit.Submatches(row, first.Body)
	for p := first; len(found) < len(want); found = append(found, testkit.Submatches(row, p.Body)...) {
		p = b.Get(p.Link("Next →"))
	}
	require.Equal(t, want, found)
	w.SignIn(t, other.Admin).Get(other.Path("/settings/organisation")).
		Has(t, `data-label="Members">3</td>`).Lacks(t, `role="search"`)
	for search, want := range map[string]int{"equipe+7": 11, "ÉQUIPE": 50, "%25": 0, "theirs": 0} {
		body := b.Get(o.Path("/settings/organisation?q=%s", search)).Has(t, `role="search"`).Body
		require.Len(t, testkit.Submatches(row, body), want, search)
		require.Equal(t, want == 50, strings.Contains(body, "Only the first 50 matches"))
		require.Equal(t, want == 0, strings.Contains(body, "No group matches."))
	}
}
