package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit/fixtures"
)

// Plan, reporting mode, members with role and two-step state.
func TestOrganisationShowsPlanModeAndMembers(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisationOf(fixtures.Organisation{Slug: "acme", Name: "<b>Acme</b> \"\u202e\" & sons"})
	w.rename(&acme.admin, `=cmd|'<script>alert(1)</script>`)
	w.db.Exec(`update users set totp_secret = $1, totp_since = '2026-01-12T09:30:00Z' where id = $2`, fixtures.TOTPSecret, acme.member.ID)
	p := w.signedIn(t, acme.adminPlain).get(acme.at("/settings/organisation"))
	for _, text := range []string{
		"<strong>Pro</strong>", "Includes the API.", "<strong>Pseudonymous</strong>", "never by name", "2 of 4 members use two-step verification.", `On since <time datetime="2026-01-12T09:30:00.000Z" data-local="day">12 Jan 2026</time>`,
		"<bdi>&lt;b&gt;Acme&lt;/b&gt; &#34;\u202e&#34; &amp; sons</bdi>", "<bdi>=cmd|&#39;&lt;script&gt;alert(1)&lt;/script&gt;</bdi>",
		"<bdi>member@acme.example</bdi>", `<span class="state on">On`, `<span class="state">Off</span>`, "Only an owner can change this.",
	} {
		require.Contains(t, p.body, text)
	}
	require.NotContains(t, p.body, "<script>")
	order := []int{strings.Index(p.body, "owner@acme"), strings.Index(p.body, "admin@acme"), strings.Index(p.body, "admin-plain@acme"), strings.Index(p.body, "member@acme")}
	require.IsIncreasing(t, order, "owners first, then by name: = stands before a")
	w.db.Exec(`update organisations set plan = 'team', reporting_mode = 'nominative' where id = $1`, acme.ID)
	p = w.signedIn(t, acme.owner).get(acme.at("/settings/organisation"))
	require.Contains(t, p.body, "<strong>Team</strong></p><p>Does not include the API.")
	require.Contains(t, p.body, "by their display name")
}

// A large organisation's page has a bound, and says what it leaves out.
func TestLargeOrganisationListsSomeMembers(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	w.db.Exec(`with made as (
			insert into users (id, email, email_key, name) select gen_random_uuid(), i || '@acme.example', i || '@acme.example', 'N' from generate_series(1, 600) i returning id)
		insert into memberships (org_id, user_id, role) select $1, id, 'member' from made`, acme.ID)
	p := w.signedIn(t, acme.owner).get(acme.at("/settings/organisation"))
	require.Equal(t, 500, strings.Count(p.body, `data-label="Two-step"`))
	require.Contains(t, p.body, "104 more members are not listed.")
	require.Contains(t, p.body, "1 of 500 listed members use two-step verification.", "of the others it is not known")
	require.Contains(t, p.body, "owner@acme.example")
}

// The form says what the change means. A change has one audit entry, and every instance sees it at the next request.
func TestOwnerChangesTheReportingMode(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	second := startOn(t, w.db, time.Now)
	b := w.signedIn(t, acme.owner)
	elsewhere := second.browser(t)
	elsewhere.cookies = b.cookies
	form, screen := acme.at("/settings/organisation/reporting-mode"), acme.at("/settings/organisation")

	page := b.get(form)
	require.Contains(t, page.body, `value="pseudonymous" checked`)
	for _, sentence := range []string{
		"Owners and admins: on the screens, and in the CSV files that they download.", "also for past plays", "Today no key can read them.", "groups stay hidden when fewer than 5 of their members played",
		"Files with names keep them when you change back: you cannot take them back.", "A play keeps its <code>playId</code>, and a player the <code>playerKey</code>, in both modes",
	} {
		require.Contains(t, page.body, sentence)
	}
	for i, c := range []struct {
		mode, shown string
		entries     int
	}{{"pseudonymous", "Pseudonymous", 0}, {"nominative", "Nominative", 1}, {"nominative", "Nominative", 1}, {"pseudonymous", "Pseudonymous", 2}} {
		p := b.post(form, url.Values{"mode": {c.mode}, "organisation": {acme.Name}})
		require.Equal(t, http.StatusSeeOther, p.StatusCode)
		require.Equal(t, screen, p.Header.Get("Location"))
		require.Contains(t, b.get(screen).body, "<strong>"+c.shown+"</strong>", "step %d", i)
		require.Contains(t, elsewhere.get(screen).body, "<strong>"+c.shown+"</strong>", "step %d: the other instance", i)
		require.Contains(t, elsewhere.get(form).body, `value="`+c.mode+`" checked`)
		require.Len(t, w.logOf(t, acme), c.entries, "step %d", i)
	}
	last := w.logOf(t, acme)[0]
	require.Equal(t, audit.ReportingModeChanged, last.Action)
	require.Equal(t, audit.Actor{Kind: audit.Person, ID: acme.owner.ID, Name: acme.owner.Name}, last.Actor)
	require.Equal(t, map[string]any{"from": "nominative", "to": "pseudonymous"}, last.Details)
	require.Equal(t, form, last.Request.Path)
	require.Equal(t, "POST", last.Request.Method)
	require.NotEmpty(t, last.Request.ID)
	shown := b.get(acme.at("/settings/audit-log"))
	require.Contains(t, shown.body, "Reporting mode changed")
	require.Contains(t, shown.body, "From nominative")

	for _, mode := range []string{"", "open", "nominative\x00", strings.Repeat("n", 10_000)} {
		p := b.post(form, url.Values{"mode": {mode}})
		require.Equal(t, http.StatusBadRequest, p.StatusCode, "%.20q", mode)
		require.Contains(t, p.body, `id="mode-error">Choose one of the two`)
		require.Contains(t, p.body, "<title>Error: ")
	}
	forged := b.send(http.MethodPost, form, "mode=nominative", http.Header{"Sec-Fetch-Site": {"cross-site"}})
	require.Equal(t, http.StatusForbidden, forged.StatusCode)
	require.Len(t, w.logOf(t, acme), 2)
}

// A role that is taken away in mid-session is gone at the next request.
func TestFormerOwnerCannotChangeTheReportingMode(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	b := w.signedIn(t, acme.owner)
	form := acme.at("/settings/organisation/reporting-mode")
	w.db.Exec(`update memberships set role = 'admin' where user_id = $1`, acme.owner.ID)
	p := b.post(form, toNominative(acme))
	require.Equal(t, http.StatusForbidden, p.StatusCode)
	require.Contains(t, p.body, "Only an owner can change the reporting mode.")
	require.Empty(t, w.logOf(t, acme))
}

// Nobody shows names by a slip: the organisation's name is typed, and the form says who will read them.
func TestNamesAreShownAfterTheOrganisationIsTyped(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisationOf(fixtures.Organisation{Slug: "acme", Name: "Ac\u200bme <Works>  e\u0301"})
	for _, name := range []string{"One", "Two", "Three", "Four", "Five", "Six & co"} {
		w.newKey(t, acme, name, apikeys.ReportsRead)
	}
	w.newKey(t, acme, "Forks only", apikeys.ForksRead)
	revoked := w.newKey(t, acme, "Old", apikeys.ReportsRead)
	b := w.signedIn(t, acme.owner)
	b.post(acme.at("/settings/api-keys/%s/revoke", revoked.ID), url.Values{})
	form := acme.at("/settings/organisation/reporting-mode")
	said := words(b.get(form).body)
	require.Contains(t, said, "Today 6 keys can read them: Six & co , Five , Four , Three , Two and 1 more.")
	require.NotContains(t, said, "Forks only")
	entries := len(w.logOf(t, acme))
	for _, typed := range []string{"", " ", "acme", "Acme Works é", "nominative", strings.Repeat("x", 10_000), "\x00\xff"} {
		p := b.post(form, url.Values{"mode": {"nominative"}, "organisation": {typed}})
		require.Equal(t, http.StatusBadRequest, p.StatusCode, "%.20q", typed)
		require.Contains(t, p.body, `<p class="error" id="organisation-error">To show names, type the name of the organisation: `+"\u2068Ac\u200bme &lt;Works&gt;  e\u0301\u2069</p>")
		require.Contains(t, p.body, `value="nominative" checked`)
	}
	require.Len(t, w.logOf(t, acme), entries, "nothing was changed")
	p := b.post(form, url.Values{"mode": {"nominative"}, "organisation": {" ACME  <works> \u00e9 "}})
	require.Equal(t, http.StatusSeeOther, p.StatusCode, p.body)
	require.NotContains(t, b.get(form).body, `name="organisation"`, "back it takes no confirmation")
	require.Equal(t, http.StatusSeeOther, b.post(form, url.Values{"mode": {"pseudonymous"}}).StatusCode)
}
