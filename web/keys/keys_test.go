package keys_test

import (
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
	"dg/web/internal/webtest"
)

// fixedNow is a Saturday, away from the ends of its day and month.
var fixedNow = time.Date(2026, 11, 21, 9, 31, 0, 0, time.UTC)

func updateKey(t *testing.T, w *webtest.World, k apikeys.Key, created time.Time, used, expires, revoked any) {
	w.DB.Exec(`update api_keys set created_at = $2, last_used_at = $3, expires_at = $4, revoked_at = $5 where id = $1`,
		k.ID, created, used, expires, revoked)
}

const day = 24 * time.Hour

// addKey stores a key of the given age at fixedNow.
func addKey(t *testing.T, w *webtest.World, o *webtest.Organisation, name string, age time.Duration,
	used, expires, revoked any, scopes ...apikeys.Scope) apikeys.Key {
	k := w.NewKey(t, o, name, scopes...)
	updateKey(t, w, k, fixedNow.Add(-age), used, expires, revoked)
	return k
}

func rowOf(t *testing.T, p testkit.Page, name string) string {
	t.Helper()
	for row := range strings.SplitSeq(p.Body, "<tr ") {
		if strings.Contains(row, "data-name>"+html.EscapeString(name)+"<") {
			return testkit.TextOf(row)
		}
	}
	t.Fatalf("no row of %q in:\n%s", name, p.Body)
	return ""
}

// The list has each key's state, times, scopes and creator, the newest key first. Revoked and expired keys are folded.
func TestKeysAreListed(t *testing.T) {
	w, acme := webtest.StartAt(t, new(fixedNow))
	forks, reports := apikeys.ForksRead, apikeys.ReportsRead
	addKey(t, w, acme, "old", 300*day, fixedNow.Add(-299*day), fixedNow.Add(-time.Second), nil, reports)
	bi := addKey(t, w, acme, "BI", 2*day, fixedNow.Add(-time.Minute), fixedNow.Add(72*day), nil, reports, forks)
	addKey(t, w, acme, "never", 3*day, nil, nil, nil, forks)
	addKey(t, w, acme, "soon", 40*day, nil, fixedNow.Add(4*day+15*time.Hour), nil, reports)
	gone := addKey(t, w, acme, "gone", 8*day, nil, fixedNow.Add(-day), fixedNow.Add(-2*day), reports)

	p := w.SignIn(t, acme.AdminPlain).Get(acme.Path("/settings/api-keys")).Is(t, 200)
	require.Equal(t, "BI dg_live_"+bi.ID+"_… Active Expires 1 Feb 2027, 09:31 UTC Last used 21 Nov 2026, 09:30 UTC "+
		"Forks, reports 19 Nov 2026 owner of acme Revoke BI", rowOf(t, p, "BI"))
	require.Contains(t, rowOf(t, p, "never"),
		"Active Never expires Never used Forks 18 Nov 2026 owner of acme Revoke never")
	require.Contains(t, rowOf(t, p, "soon"), "Expires in 5 days On 26 Nov 2026, 00:31 UTC Never used Reports")
	require.Equal(t, "gone dg_live_"+gone.ID+"_… Revoked Since 19 Nov 2026, 09:31 UTC Never used Reports 13 Nov 2026 "+
		"owner of acme Audit log of gone", rowOf(t, p, "gone"))
	require.Contains(t, rowOf(t, p, "old"), "Expired Since 21 Nov 2026, 09:30 UTC 26 Jan 2026, 09:31 UTC Reports")
	require.Contains(t, p.Body, `<time datetime="2027-02-01T09:31:00.000Z" data-local="minute">`,
		"the script puts it into the reader's zone")

	require.Equal(t, [][]string{{"BI"}, {"never"}, {"soon"}, {"gone"}, {"old"}},
		testkit.Submatches(`data-name>([^<]+)<`, p.Body))
	_, fold, found := strings.Cut(p.Body, "<details>")
	require.True(t, found)
	require.Contains(t, fold, "Revoked and expired (2)")
	require.NotContains(t, fold, `data-name>BI<`)
	fold, _, _ = strings.Cut(fold, "</details>")
	require.NotContains(t, fold, "/revoke", "nothing to revoke")
}

// Inactive keys are paged by 100. The list has at most the newest 1,100 keys.
func TestManyRevokedKeysArePaged(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	w.NewKey(t, acme, "BI", apikeys.ForksRead)
	w.AddManyKeys(acme, "revoked ", 1105, 0)
	b.Get(acme.Path("/settings/api-keys")).Lacks(t, "data-name>revoked 999<").Has(t, "Revoked and expired (1,099)",
		"1–100 of 1,099", acme.Path("/settings/api-keys?page=2"), "The audit log has the oldest keys.")
	b.Get(acme.Path("/settings/audit-log?key=n%021d", 1)).Is(t, 200).Has(t, "selected>revoked 1<")
	b.Get(acme.Path("/settings/api-keys?page=2")).Has(t, "data-name>revoked 999<", "<details open>", "data-name>BI<")

	w.DB.Exec(`create policy failing on api_keys using (1 / (strpos(current_query(), 'apikeys.key ') = 0)::int = 1);
		alter table api_keys enable row level security`)
	b.Get(acme.Path("/settings/audit-log?key=n%021d", 1)).Is(t, 500)
	b.Get(acme.Path("/settings/audit-log")).Is(t, 200)
}

// With 100 usable keys, the form says so and keeps its values. Below the Pro plan, keys can still be revoked.
func TestKeysAboveTheLimitOrBelowThePlanAreNotCreated(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	key := w.NewKey(t, acme, "BI", apikeys.ForksRead)
	path := acme.Path("/settings/api-keys/new")
	w.AddManyKeys(acme, "n", 99, 99)
	b.Post(path, webtest.NewKeyForm()).Is(t, 400).Has(t, "has 100 usable keys", `value="Warehouse"`)
	w.DB.Exec(`update organisations set plan = 'team' where id = $1`, acme.ID)
	for _, p := range []testkit.Page{b.Get(path), b.Post(path, webtest.NewKeyForm())} {
		p.Is(t, 403).Has(t, "part of the Pro and Enterprise plans")
	}
	list := b.Get(acme.Path("/settings/api-keys")).Is(t, 200).Lacks(t, "/settings/api-keys/new\"").
		Has(t, `href="`+acme.Path("/settings/organisation")+`">See the plan`)
	require.Contains(t, webtest.NoteTexts(t, list)[0], "warn: The API comes with the Pro plan. Keys are paused")
	require.Contains(t, rowOf(t, list, "BI"), "Paused by plan Never expires")
	b.Post(acme.Path("/settings/api-keys/%s/revoke", key.ID), url.Values{}).Is(t, 303)
}

// The list shows each active key's requests of 30 days. While they cannot be read, screens open without them.
func TestKeyListShowsUsage(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	used := w.NewKey(t, acme, "Used", apikeys.ReportsRead)
	revoked := w.NewKey(t, acme, "Gone", apikeys.ReportsRead)
	storeUsage(w, used, 0, 1_000, 200, 34)
	storeUsage(w, used, 15, 1, 0, 0)
	storeUsage(w, used, 30, 9_000, 0, 0)
	storeUsage(w, revoked, 0, 1_777, 0, 0)
	w.DB.Exec(`update api_keys set revoked_at = now() where id = $1`, revoked.ID)
	p := b.Get(acme.Path("/settings/api-keys"))
	require.Contains(t, rowOf(t, p, "Used"), "1,235 Never used Reports")
	require.NotContains(t, p.Body, "1,777", "a key that has ended shows none")
	p.Has(t, `<path d="M1415 1157h70v77h-70zM2915 0h70v1234h-70z"/>`) // the bar of a single request is visible

	lock := w.DB.Begin(`lock table api_key_usage, audit_entries in access exclusive mode`)
	p = b.Get(acme.Path("/settings/api-keys"))
	page := b.Get(acme.Path("/settings/api-keys/%s", used.ID))
	require.NoError(t, lock.Rollback(t.Context()))
	require.Contains(t, rowOf(t, p, "Used"), "Not available Never used Reports",
		"a key can be revoked while its requests cannot be read")
	const missing = "<p>Not available. Try again in a moment.</p>"
	require.Equal(t, 1, strings.Count(page.Is(t, 200).Has(t, "/revoke", "by days.").Body, missing), "requests")
}

// Every settings screen announces the usable keys that expire within 30 days. It names three and counts the others. The
// note is a warning from 7 days before the expiry on, and red on the last day.
func TestExpiringKeysAreAnnounced(t *testing.T) {
	w, acme := webtest.StartAt(t, new(fixedNow))
	b := w.SignIn(t, acme.Admin)
	notesOf := func(screen string) []string { return webtest.NoteTexts(t, b.Get(acme.Path("%s", screen))) }
	for name, left := range map[string]time.Duration{
		"expired": 0, "first": day, "second": 7 * day, "third": 8 * day, "fourth": 9 * day,
		"fifth": 30 * day, "later": 30*day + time.Millisecond,
	} {
		addKey(t, w, acme, name, 365*day, nil, fixedNow.Add(left), nil, apikeys.ForksRead)
	}
	want := []string{"bad: first expires in 1 day. 22 Nov 2026, 09:31 UTC",
		"warn: second expires in 7 days. 28 Nov 2026, 09:31 UTC", "third expires in 8 days. 29 Nov 2026, 09:31 UTC",
		"2 more keys expire within 30 days."}
	for _, screen := range []string{"organisation", "api-keys", "audit-log"} {
		notes := notesOf("/settings/" + screen)
		require.Len(t, notes, len(want))
		for i, n := range want {
			require.Contains(t, notes[i], n)
		}
	}
	b.Get(acme.Path("/reports")).Lacks(t, "expires in")
	w.SignIn(t, acme.AdminPlain).Get(acme.Path("/settings/organisation")).Has(t,
		`two-step?next=`+url.QueryEscape(acme.Path("/settings/api-keys/")))
	w.DB.Exec(`update organisations set plan = 'team' where id = $1`, acme.ID)
	require.Empty(t, notesOf("/settings/organisation"))
	w.DB.Exec(`update organisations set plan = 'pro' where id = $1`, acme.ID)
	w.DB.Exec(`update api_keys set revoked_at = now() where name <> 'fifth'`)
	require.Len(t, notesOf("/settings/organisation"), 1)
}

// Search and filter select keys, and the form keeps them. An unknown value is ignored.
func TestKeysAreSearchedFilteredAndSorted(t *testing.T) {
	w, acme := webtest.StartAt(t, new(fixedNow))
	forks := apikeys.ForksRead
	addKey(t, w, acme, "Warehouse", 100*day, fixedNow.Add(-time.Hour), fixedNow.Add(300*day), nil, forks)
	addKey(t, w, acme, "bi", 100*day, nil, nil, nil, forks)
	soon := addKey(t, w, acme, "LMS", 100*day, fixedNow.Add(-31*day), fixedNow.Add(2*day), nil, forks)
	addKey(t, w, acme, "Old", 100*day, nil, fixedNow.Add(-day), nil, forks)
	addKey(t, w, acme, "Ex", 99*day, nil, fixedNow.Add(-day), fixedNow.Add(-2*day), forks)
	b := w.SignIn(t, acme.Owner)
	list := func(query string) string {
		p := b.Get(acme.Path("/settings/api-keys?%s", query)).Is(t, 200)
		names := ""
		for _, name := range testkit.Submatches(`data-name>([^<]+)<`, p.Body) {
			names += name[0] + " "
		}
		return names
	}
	for query, want := range map[string]string{
		"q=dg_live_" + soon.ID + "_%E2%80%A6": "LMS ", "q=dg_live_" + soon.ID + "_" + strings.Repeat("z", 49): "LMS ",
		"q=WARE": "Warehouse ", "q=" + soon.ID: "LMS ", "q=none": "", "show=unused&sort=name": "bi LMS ",
		"show=expiring": "LMS ", "show=expired": "Old ", "sort=name": "bi LMS Warehouse Ex Old ",
		"sort=used": "Warehouse LMS bi Ex Old ", "sort=expiry": "LMS Warehouse bi Ex Old ", "show=unused&q=ware": "",
		"q=" + strings.Repeat("z", 49): "", "q=_" + strings.Repeat("z", 49): "", // which key it belongs to is unknown
	} {
		require.Equal(t, want, list(query), query)
	}
	require.Empty(t, list("show=%00&sort=x&q=%ff"), "no name has that character")
	require.Len(t, list("show=x&sort=x"), len("Warehouse bi LMS Ex Old "))
	b.Get(acme.Path("/settings/api-keys?q=none")).
		Has(t, "No key matches<", `value="none"`, `href="`+acme.Path("/settings/api-keys")+`">Clear`)
	b.Get(acme.Path("/settings/api-keys?show=expired")).Has(t, "<details open>", `"expired" selected`)
	w.AddManyKeys(acme, "n", 2, 2)
	b.Get(acme.Path("/settings/api-keys")).Lacks(t, `role="search"`)
	w.NewKey(t, acme, "The eighth", apikeys.ForksRead)
	b.Get(acme.Path("/settings/api-keys")).Has(t, `role="search"`)
}

// On a phone a key takes three lines, and shows its id if another has its name. On a tablet, names end before "Revoke".
func TestKeysHaveThreeLinesOnPhones(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	for _, name := range []string{strings.Repeat("Long ", 30), "BI", "LMS", "BI"} {
		w.NewKey(t, acme, name, apikeys.ForksRead)
	}
	p := browsertest.New(t)
	webtest.SignInWith(p, w, acme.Owner, acme.Path("/settings/api-keys"))
	p.Emulate(800, browsertest.Light)
	require.Positive(t, browsertest.Eval[float64](p, `document.querySelector('td.do a').getBoundingClientRect().left -
		Math.max(...[...document.querySelectorAll('tbody th a')].map((name) => name.getBoundingClientRect().right))`))
	p.Emulate(360, browsertest.Light)
	require.Equal(t, 2, p.Count("tbody th small"))
	require.Less(t, browsertest.Eval[float64](p, `document.querySelector('tbody tr:nth-child(2)').offsetHeight`), 100.0)
	webtest.RequireAccessible(t, p, "keys")
}

// A key's page links to its predecessor, successor and log. It shows its own refusals and exports with their addresses.
func TestKeyPageHasItsHistory(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	old := w.NewKey(t, acme, "BI", apikeys.ForksRead)
	other := w.NewKey(t, acme, "Other", apikeys.ForksRead)
	pathOf := func(k apikeys.Key) string { return acme.Path("/settings/api-keys/%s", k.ID) }
	b.Get(pathOf(old)).Has(t, "No exports or refused requests.")
	b.Get(pathOf(old)+"/replace").Has(t, "Leaked?", `href="`+pathOf(old)+`/revoke"`)
	for address, k := range map[string]apikeys.Key{"203.0.113.7": old, "198.51.100.9": other} {
		reasons := map[audit.Action]audit.Reason{audit.KeyRefused: audit.WrongSecret, audit.ExportStarted: ""}
		for action, reason := range reasons {
			for range 6 {
				w.Append(t, acme, audit.Entry{Actor: audit.Actor{Kind: audit.Key, ID: k.ID}, Action: action,
					Reason: reason, Request: audit.Request{Address: address}})
			}
		}
	}
	form := webtest.ReplacementForm("now")
	form.Set("name", "Successor")
	b.Post(pathOf(old)+"/replace", form).Is(t, 200)
	successor := w.AllKeys(t, acme)[0]
	p := b.Get(pathOf(old)).Has(t, `<dt>Replaced by</dt><dd><a href="`+pathOf(successor)+`"><bdi>Successor`,
		"203.0.113.7", "Request refused", "Export started", "wrong secret").Lacks(t, "198.51.100.9")
	require.Equal(t, 10, strings.Count(p.Body, "203.0.113.7"), "five of each kind")
	for _, action := range []string{"api_key.refused", "export.started"} {
		p.Has(t, `href="`+acme.Path("/settings/audit-log?key=%s&amp;action=%s", old.ID, action)+`"`)
	}
	b.Get(pathOf(successor)).Has(t, `<dt>Replaces</dt><dd><a href="`+pathOf(old)+`"><bdi>BI`)
	for action, k := range map[string]apikeys.Key{"revoked": old, "created": successor} {
		b.Get(acme.Path("/settings/audit-log?action=api_key.%s&key=%s", action, k.ID)).Has(t, "Key replaced, ")
	}
}

func tabTo(t *testing.T, p *browsertest.Page, selector string) {
	t.Helper()
	for range 40 {
		if strings.Contains(p.FocusedElement(), selector) {
			return
		}
		p.Press(kb.Tab)
	}
	t.Fatalf("the keyboard does not reach %q", selector)
}

// Errors link to their fields, "On a date" shows the date field, and a double click submits the form once.
func TestKeyFormWorksByKeyboard(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	p := browsertest.New(t)
	webtest.SignInWith(p, w, acme.Owner, acme.Path("/settings/api-keys/new"))
	tabTo(t, p, "<button> Create key")
	p.Press(kb.Enter)
	p.WaitFor("#errors")
	require.Contains(t, p.FocusedElement(), "#errors")
	p.Press(kb.Tab, kb.Enter) // the first link of the error summary
	require.Equal(t, "<input#name>", p.FocusedElement())
	// the second Tab leaves the description empty, and the space unticks the scope forks:read
	p.Press("BI by keyboard", kb.Tab, kb.Tab, " ", kb.Tab)
	require.Equal(t, "<input#sr>", p.FocusedElement())
	p.Click("#xday")
	require.Equal(t, 1, p.Count("#day"))
	p.Fill("#day", "2199-12-31")
	webtest.RequireAccessible(t, p, "new key with a day")
	p.Click("#xday")
	p.Press(kb.ArrowDown) // selects "Never", which hides the day
	require.Zero(t, p.Count("#day"))
	browsertest.Eval[any](p, `{
		const [button, seen] = [document.querySelector('main button.primary'), Element.prototype.checkVisibility];
		delete AbortSignal.timeout; delete Element.prototype.checkVisibility; // as in iOS 15
		button.click();
		Element.prototype.checkVisibility = seen;
		setTimeout(() => button.click(), 5);
	}`)
	p.WaitFor("#secret")
	require.Equal(t, acme.Path("/settings/api-keys"), p.Path(), "what the history leads back to")
	p.Click(`a:text("Done")`)
	p.ClickAndWaitFor(`#leave[open] button:text("Leave anyway")`, "table.keys")
	keys := w.AllKeys(t, acme)
	require.Len(t, keys, 1)
	require.Nil(t, keys[0].ExpiresAt)
	require.Equal(t, apikeys.Scopes{apikeys.ReportsRead}, keys[0].Scopes)
}

// A form that leads to a download, as a sign-in may, does not show it as a page.
func TestDownloadAfterAFormIsNotShownAsAPage(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	p := browsertest.New(t)
	list := acme.Path("/settings/api-keys")
	webtest.SignInWith(p, w, acme.Owner, list+"/new")
	browsertest.Eval[any](p, `window.fetch = async () => ({redirected: true, url: '`+list+`?q=file',
		headers: new Headers({'Content-Type': 'text/csv'}), text: async () => '<p>shown</p>'})`)
	p.Click("main button.primary")
	p.WaitFor("#q")
	require.Equal(t, list+"?q=file", p.Path())
}

// The browser asks before it leaves a secret that was not copied completely. No step back shows the secret again.
func TestBrowserAsksBeforeLeavingTheSecret(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	p := browsertest.New(t)
	list := acme.Path("/settings/api-keys")
	webtest.SignInWith(p, w, acme.Owner, list)
	p.Click(`a:text("Create key")`)
	p.Fill("#name", "BI")
	p.ClickAndWaitFor(`main button.primary`, "#secret")
	secret := p.Text("#secret")
	prompts := 0
	p.OnLeavePrompt(func() (leave bool) {
		prompts++
		return false
	})
	p.Back()
	require.Equal(t, 1, prompts)
	require.Equal(t, secret, p.Text("#secret"))

	copySelection := func(selection string) string {
		browsertest.Eval[any](p, selection)
		return p.CopiedText(func() { browsertest.Eval[any](p, `document.execCommand('copy')`) })
	}
	require.NotContains(t, copySelection(`{
		const text = document.getElementById('secret').firstChild;
		getSelection().setBaseAndExtent(text, 0, text, 70);
	}`), secret)
	p.Click(`a:text("Done")`)
	p.Click(`#leave[open] button:text("Stay here")`)
	require.Contains(t, copySelection(`getSelection().selectAllChildren(document.querySelector('main'))`), secret)
	tabTo(t, p, "Done")
	p.Press(kb.Enter)
	p.WaitFor("table.keys")
	require.Equal(t, 1, prompts, "copying disarms the guard")
	for i, step := range []func(){func() {}, p.Reload, p.Back} {
		step()
		markup := browsertest.Eval[string](p, `document.documentElement.outerHTML`)
		require.NotContains(t, markup, secret[31:], "step %d", i)
		require.Equal(t, list, p.Path(), "form and secret have no place in the history: step %d", i)
	}
}

// A form's response adds no POST to the history: neither a reload nor Back submits the form again. A form sent after
// the end of the session keeps what was typed.
func TestReloadAndBackDoNotResubmitForms(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	p := browsertest.New(t)
	webtest.SignInWith(p, w, acme.Owner, acme.Path("/settings/api-keys/new"))
	p.ClickAndWaitFor(`main button.primary`, "#errors")
	p.Reload()
	require.Zero(t, p.Count("#errors"), "a form that was sent again has its errors again")
	p.ClickAndWaitFor(`main button.primary`, "#errors")
	require.Contains(t, p.FocusedElement(), "#errors")
	p.Fill("#name", "BI")
	w.DB.Exec(`update sessions set expires_at = expires_at - interval '9 days'`)
	p.ClickAndWaitFor(`main button.primary`, `a[target]:text("Sign in in a new tab")`)
	w.DB.Exec(`update sessions set expires_at = expires_at + interval '9 days'`)
	p.ClickAndWaitFor(`main button.primary`, "#secret")
	require.Eventually(t, func() bool { return strings.HasPrefix(p.FocusedElement(), "<h1> Key created") },
		time.Minute, 10*time.Millisecond, "a screen reader reads the answer")
	browsertest.Eval[any](p, `{ navigator.clipboard.writeText = () => Promise.reject(); }`)
	p.ClickAndWaitFor(`[data-copy="secret"]`, `button:text("Failed: copy the selected text")`)
	p.Reload()
	p.WaitFor("table.keys")
	p.Back()
	require.Zero(t, p.Count("#errors"))
	require.Equal(t, 4, strings.Count(w.ProgramLog.String(), "method=POST route=/o/:org/settings/api-keys"))
	require.Len(t, w.AllKeys(t, acme), 1)
}
