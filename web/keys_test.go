package web_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit/fixtures"
)

// noon is a day like any other, as the clock of a test that moves.
var noon = time.Date(2026, 11, 21, 9, 31, 0, 0, time.UTC)

// startAt begins a world whose clock stands still until it is set.
func startAt(t *testing.T, now *time.Time) *world {
	t.Helper()
	return startOn(t, fixtures.New(t), func() time.Time { return *now })
}

// setKey changes what only time changes.
func (w *world) setKey(t *testing.T, k apikeys.Key, created time.Time, used, expires, revoked any) {
	t.Helper()
	w.db.Exec(`update api_keys set created_at = $2, last_used_at = $3, expires_at = $4, revoked_at = $5 where id = $1`, k.ID, created, used, expires, revoked)
}

// row is a key's row on the list, as text.
func (p page) row(t *testing.T, name string) string {
	t.Helper()
	for row := range strings.SplitSeq(p.body, "<tr ") {
		if strings.Contains(row, "data-name>"+html.EscapeString(name)+"<") {
			return words(row)
		}
	}
	t.Fatalf("no row of %q in:\n%s", name, p.body)
	return ""
}

var tag = regexp.MustCompile(`<[^>]*>`)

// words is the text of the markup, in one line.
func words(markup string) string {
	_, markup, _ = strings.Cut(markup, ">") // of the row's own tag
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(markup, " "))), " ")
}

// notes are the notices above the heading, as text, each with its kind before it.
func (p page) notes(t *testing.T) []string {
	t.Helper()
	above, _, found := strings.Cut(p.body, `<div class="head">`)
	require.True(t, found, p.body)
	notes := []string{}
	for _, n := range strings.Split(above, `<div class="note`)[1:] {
		kind, _, _ := strings.Cut(n, `"`)
		notes = append(notes, strings.TrimSpace(strings.TrimSpace(kind)+": "+words(n)))
	}
	return notes
}

// The list says of each key all that there is to know, in words; newest first; what has ended is in
// a fold.
func TestKeysAreListed(t *testing.T) {
	t.Parallel()
	now := noon
	w := startAt(t, &now)
	acme := w.organisation("acme")
	day := 24 * time.Hour
	forks, reports := apikeys.ForksRead, apikeys.ReportsRead
	add := func(name string, ago time.Duration, used, expires, revoked any, scopes ...apikeys.Scope) apikeys.Key {
		k := w.newKey(t, acme, name, scopes...)
		w.setKey(t, k, now.Add(-ago), used, expires, revoked)
		return k
	}
	add("old", 300*day, now.Add(-299*day), now.Add(-time.Second), nil, reports)
	bi := add("BI", 2*day, now.Add(-time.Minute), now.Add(72*day), nil, reports, forks)
	add("never", 3*day, nil, nil, nil, forks)
	add("soon", 40*day, nil, now.Add(4*day+15*time.Hour), nil, reports)
	add("at once", 5*day, nil, now.Add(time.Second), nil, reports)
	add("thirty", 90*day, nil, now.Add(30*day), nil, reports)
	add("beyond", 91*day, nil, now.Add(30*day+time.Millisecond), nil, reports)
	gone := add("gone", 8*day, nil, now.Add(-day), now.Add(-2*day), reports)

	p := w.signedIn(t, acme.adminPlain).get(acme.at("/settings/api-keys"))
	require.Equal(t, http.StatusOK, p.StatusCode)
	require.Equal(t, "BI dg_live_"+bi.ID+"_… Active until 1 Feb 2027, 09:31 UTC Forks, reports 19 Nov 2026 owner of acme 21 Nov 2026, 09:30 UTC Revoke BI", p.row(t, "BI"))
	require.Contains(t, p.row(t, "never"), "Active never expires Forks 18 Nov 2026 owner of acme Never Revoke never")
	require.Contains(t, p.row(t, "soon"), "Expires in 5 days at 26 Nov 2026, 00:31 UTC Reports")
	require.Contains(t, p.row(t, "at once"), "Expires in 1 day at 21 Nov 2026, 09:31 UTC")
	require.Contains(t, p.row(t, "thirty"), "Expires in 30 days at 21 Dec 2026, 09:31 UTC")
	require.Contains(t, p.row(t, "beyond"), "Active until 21 Dec 2026, 09:31 UTC")
	require.Equal(t, "gone dg_live_"+gone.ID+"_… Revoked since 19 Nov 2026, 09:31 UTC Reports 13 Nov 2026 owner of acme Never", p.row(t, "gone"))
	require.Contains(t, p.row(t, "old"), "Expired since 21 Nov 2026, 09:30 UTC Reports")
	require.Contains(t, p.body, `<time datetime="2027-02-01T09:31:00.000Z" data-local="minute">`, "the script puts it into the reader's zone")

	var order []string
	for _, n := range regexp.MustCompile(`data-name>([^<]+)<`).FindAllStringSubmatch(p.body, -1) {
		order = append(order, n[1])
	}
	require.Equal(t, []string{"BI", "never", "at once", "soon", "thirty", "beyond", "gone", "old"}, order)
	_, fold, found := strings.Cut(p.body, "<details>")
	require.True(t, found)
	require.Contains(t, fold, "Revoked and expired (2)")
	require.NotContains(t, fold, `data-name>BI<`)
	fold, _, _ = strings.Cut(fold, "</details>")
	require.NotContains(t, fold, "/revoke", "nothing to revoke")

	// From the instant of its expiry on it is expired.
	now = now.Add(time.Second)
	p = w.signedIn(t, acme.owner).get(acme.at("/settings/api-keys"))
	require.Contains(t, p.row(t, "at once"), "Expired since")
}

func TestManyRevokedKeysArePaged(t *testing.T) {
	t.Parallel()
	now := noon
	w := startAt(t, &now)
	acme := w.organisation("acme")
	w.newKey(t, acme, "BI", apikeys.ForksRead)
	w.db.Exec(`insert into api_keys (id, org_id, name, scopes, secret_hash, created_at, created_by, creator_name, revoked_at)
		select 'r' || lpad(i::text, 21, '0'), $1, 'revoked ' || i, array['forks:read'], decode(repeat('00', 32), 'hex'), timestamptz '2020-01-01' + make_interval(mins => i), 'p', 'P', timestamptz '2021-01-01'
		  from generate_series(1, 1105) i`, acme.ID)
	p := w.signedIn(t, acme.owner).get(acme.at("/settings/api-keys"))
	require.Contains(t, p.body, "Revoked and expired (1,099)")
	require.Contains(t, p.body, "1–100 of 1,099")
	require.Contains(t, p.body, acme.at("/settings/api-keys?page=2"))
	require.NotContains(t, p.body, "data-name>revoked 999<")
	require.Contains(t, p.body, "The audit log has them.")
	second := w.signedIn(t, acme.owner).get(acme.at("/settings/api-keys?page=2"))
	require.Contains(t, second.body, "data-name>revoked 999<")
	require.Contains(t, second.body, "<details open>")
	require.Contains(t, second.body, "data-name>BI<", "the usable ones are on each page")
}

// The empty state has one sentence and the button.
func TestEmptyKeyListOffersToCreate(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	p := w.signedIn(t, acme.owner).get(acme.at("/settings/api-keys"))
	require.Contains(t, p.body, "<h2>No keys yet</h2>")
	require.Equal(t, 1, strings.Count(p.body, "/settings/api-keys/new"))
	require.NotContains(t, p.body, "<table")
	require.NotContains(t, p.body, "<dialog")
}

// Without the button, a notice says why, and a request that ignores it gets the same sentence. Listing and revoking still work.
func TestKeyListSaysWhyCreatingIsNotPossible(t *testing.T) {
	t.Parallel()
	w := start(t)
	for name, c := range map[string]struct {
		plan        string
		who         func(*organisation) fixtures.Person
		full        bool
		note, wayTo string
		says        string
	}{
		"no two-step": {"pro", func(o *organisation) fixtures.Person { return o.adminPlain }, false, "Turn on two-step verification to create keys.",
			"/account/two-step?next=%2Fo%2Fwhy-no-two-step%2Fsettings%2Fapi-keys%2Fnew", "list and revoke keys without it"},
		"below Pro": {"team", func(o *organisation) fixtures.Person { return o.owner }, false, "API keys are paused.", "/settings/organisation", "rejected, and you cannot create keys"},
		"free":      {"free", func(o *organisation) fixtures.Person { return o.admin }, false, "API keys are paused.", "/settings/organisation", "list and revoke"},
		"full":      {"enterprise", func(o *organisation) fixtures.Person { return o.owner }, true, "has 100 usable keys", "", "Revoke one"},
	} {
		t.Run(name, func(t *testing.T) {
			o := w.organisation("why-" + strings.ReplaceAll(name, " ", "-"))
			key := w.newKey(t, o, "BI", apikeys.ForksRead)
			if c.full {
				w.db.Exec(`insert into api_keys (id, org_id, name, scopes, secret_hash, created_at, created_by, creator_name)
					select 'f' || lpad(i::text, 21, '0'), $1, 'n', array['forks:read'], decode(repeat('00', 32), 'hex'), now(), 'p', 'P' from generate_series(2, 100) i`, o.ID)
			}
			w.db.Exec(`update organisations set plan = $2 where id = $1`, o.ID, c.plan)
			b := w.signedIn(t, c.who(o))
			list := b.get(o.at("/settings/api-keys"))
			require.Equal(t, http.StatusOK, list.StatusCode)
			require.NotContains(t, list.body, "/settings/api-keys/new")
			notes := strings.Join(list.notes(t), "\n")
			require.Contains(t, notes, c.note)
			require.Contains(t, notes, c.says)
			require.Contains(t, list.body, c.wayTo+`"`)
			before := w.newest(t, o)
			for _, refused := range []page{b.get(o.at("/settings/api-keys/new")), b.post(o.at("/settings/api-keys/new"), goodForm())} {
				require.Equal(t, http.StatusForbidden, refused.StatusCode)
				require.Contains(t, html.UnescapeString(refused.body), c.note)
			}
			require.Equal(t, before, w.newest(t, o), "nothing is made")
			if c.plan != "pro" && !c.full {
				require.Contains(t, list.row(t, "BI"), "Paused by plan never expires")
				require.Contains(t, list.body, `aria-label="Paused keys"`)
			}
			require.Contains(t, list.body, o.at("/settings/api-keys/%s/revoke", key.ID))
			revoked := b.post(o.at("/settings/api-keys/%s/revoke", key.ID), url.Values{})
			require.Equal(t, http.StatusSeeOther, revoked.StatusCode)
			require.Contains(t, b.get(revoked.Header.Get("Location")).row(t, "BI"), "Revoked since")
		})
	}
}

// A plan that never had the API has nothing to pause.
func TestPlanWithoutTheAPIIsNotCalledPaused(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisationOf(fixtures.Organisation{Slug: "free", Plan: "free"})
	b := w.signedIn(t, o.owner)
	list := b.get(o.at("/settings/api-keys"))
	require.Equal(t, []string{": The API comes with the Pro plan. Your plan does not include it, so you cannot create keys. See the plan"}, list.notes(t))
	require.NotContains(t, strings.ToLower(list.body), "paused")
	refused := b.get(o.at("/settings/api-keys/new"))
	require.Equal(t, http.StatusForbidden, refused.StatusCode)
	require.Contains(t, refused.body, "The API comes with the Pro plan.")
	sent := b.post(o.at("/settings/api-keys/new"), url.Values{"name": {"BI"}})
	require.Equal(t, http.StatusForbidden, sent.StatusCode)
	require.Contains(t, sent.body, "The API comes with the Pro plan.")
	require.NotContains(t, sent.body, "paused")
}

// newest is the organisation's newest key, and how many it has.
func (w *world) newest(t *testing.T, o *organisation) string {
	t.Helper()
	return fixtures.One[string](w.db, `select count(*) || ' ' || coalesce((array_agg(id order by created_at desc, id))[1], '') from api_keys where org_id = $1`, o.ID)
}

// Every screen of an organisation's settings stays under 60 KB, with all the keys that there can be.
func TestLongestKeyListIsSmall(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	for kind, revoked := range map[string]any{"u": nil, "r": time.Now()} {
		w.db.Exec(`insert into api_keys (id, org_id, name, scopes, secret_hash, created_at, created_by, creator_name, last_used_at, expires_at, revoked_at)
			select $2 || substr(md5(i::text || $2), 1, 21), $1, 'The key of a tool ' || md5(i::text), array['forks:read'], decode(repeat('00', 32), 'hex'),
			       now() - make_interval(mins => i * 17), 'p', 'Ingrid Solheim', now() - make_interval(secs => i * 7), now() + make_interval(mins => i * 1234), $3 from generate_series(1, 100) i`, acme.ID, kind, revoked)
	}
	b := w.signedIn(t, acme.owner)
	p := b.send(http.MethodGet, acme.at("/settings/api-keys"), "", http.Header{"Accept-Encoding": {"gzip"}})
	require.Equal(t, "gzip", p.Header.Get("Content-Encoding"))
	require.Less(t, len(p.body), 40_000, "which leaves 20 KB for the files")
	t.Logf("the longest list: %d bytes compressed", len(p.body))
}

// Hostile names are shown harmless, wherever a key's name is.
func TestKeyListEscapesHostileNames(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	b := w.signedIn(t, acme.owner)
	for _, name := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `=1+1`, "{{.CSRF}}", "' or 1=1 --", "اختبار", strings.Repeat("é", 200), "dg_live_x y",
	} {
		form := goodForm()
		form.Set("name", name)
		form.Set("expiry", "30")
		created := b.post(acme.at("/settings/api-keys/new"), form)
		require.Equal(t, http.StatusOK, created.StatusCode, name)
		id := regexpFind(t, `dg_live_([0-9A-Za-z]{22})_[0-9A-Za-z]{49}`, created.body)
		again := b.post(acme.at("/settings/api-keys/new"), form)
		list := b.get(acme.at("/settings/api-keys"))
		ask := b.get(acme.at("/settings/api-keys/%s/revoke", id))
		b.post(acme.at("/settings/api-keys/%s/revoke", id), url.Values{})
		revoked := b.get(acme.at("/settings/api-keys"))
		form.Del("scopes")
		kept := b.post(acme.at("/settings/api-keys/new"), form)
		shown := strings.ReplaceAll(html.EscapeString(name), "+", "&#43;")
		for at, p := range map[string]page{"created": created, "again": again, "list": list, "ask": ask, "revoked": revoked, "kept": kept} {
			parts := strings.Split(p.body, shown)
			require.Greater(t, len(parts), 1, "%s: %s", at, name)
			for _, before := range parts[:len(parts)-1] {
				require.Regexp(t, `(<bdi[^<>]*>|<input id="name"[^<>]*value=")$`, before, "%s: %s", at, name)
			}
			require.NotContains(t, p.body, "<script>", at)
			require.NotContains(t, p.body, "<img", at)
		}
		require.Contains(t, fmt.Sprint(revoked.notes(t)), name+" has been revoked.")
	}
}
