package web_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"dg/app/assembly"
	"dg/modules/apikeys"
	"dg/modules/reports"
	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
	"dg/web/internal/webtest"
	"dg/web/ui"
)

// A path without an organisation redirects to the person's only organisation, or offers a choice of several.
func TestShortPathRedirectsToTheOrganisation(t *testing.T) {
	w, acme, owner := webtest.StartAsOwner(t)
	slash := w.AddOrganisation(`a/b "<c> é?#%`)

	testkit.RequireRedirect(t, "/sign-in?next=%2Fsettings%2Fapi-keys", w.Browser(t).Get("/settings/api-keys"))
	testkit.RequireRedirect(t, "/o/acme/reports", owner.Get("/"))
	testkit.RequireRedirect(t, "/o/acme/settings/audit-log", owner.Get("/settings/audit-log"))
	testkit.RequireRedirect(t, "/account", w.SignIn(t, acme.Member).Get("/reports"))
	testkit.RequireRedirect(t, slash.Path("/reports"), w.SignIn(t, slash.Owner).Get("/"))

	w.DB.Join(acme.ID, slash.Owner.ID, "admin")
	w.SignIn(t, slash.Owner).Get("/settings").Is(t, 200).
		Has(t, `href="/o/acme/settings/api-keys"`, `href="`+slash.Path("/settings/api-keys")+`"`)
}

// A static file is cached for a year under the version of its content, and revalidated without the version.
func TestStaticFilesAreCached(t *testing.T) {
	b := webtest.Start(t).Browser(t)
	stylesheet := testkit.Submatch(t, `href="(/static/dg\.css\?v=[0-9a-f]+)"`, b.Get("/nowhere").Body)
	versioned := b.Get(stylesheet)
	require.Equal(t, "text/css; charset=utf-8", versioned.Header.Get("Content-Type"))
	require.Contains(t, versioned.Header.Get("Cache-Control"), "immutable")
	outdated := b.Get("/static/dg.css?v=older")
	require.Equal(t, "no-cache", outdated.Header.Get("Cache-Control"))
	b.Send(http.MethodGet, "/static/dg.css", "", http.Header{"If-None-Match": {outdated.Header.Get("ETag")}}).Is(t, 304)
	b.Get("/static/../site.go").Is(t, 404)
}

// A malformed slug is not found. An organisation, fork or key is found by its slug or id, however that is encoded.
func TestMalformedSlugIsNotFound(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	for _, slug := range []string{
		"%00", "ac%00me", "%ff", "acme%2F", "%2Facme", "%2561cme", "ACME", "acme%20",
		"%E2%80%AEacme", "acme%E2%80%8B", "acme;", "..%2facme", "%2e%2e", strings.Repeat("a", 3000),
	} {
		b.Get("/o/"+slug+"/reports").Is(t, 404).Has(t, "not found")
	}
	b.Get("/o/%61cme/reports").Is(t, 200)
	encoded := func(id string) string { return fmt.Sprintf("%%%02x", id[0]) + id[1:] }
	key := w.NewKey(t, acme, "BI", apikeys.ForksRead)
	b.Get(acme.Path("/settings/api-keys/")+encoded(key.ID)).Is(t, 200)
	b.Get(acme.Path("/settings/api-keys/")+encoded(key.ID)+"/revoke").Is(t, 200)
	b.Get(acme.Path("/reports/")+encoded(w.AddPlayedFork(acme))).Is(t, 200)
	for _, path := range []string{
		"//acme/reports", "/o//acme/reports", "/o/acme/./reports", "/o/acme/x/../reports",
		"/o/acme/reports/", "/o/acme%2Freports",
	} {
		b.Get(path).Is(t, 404)
	}
}

// A form submitted after its session has ended changes nothing, and leads to the sign-in and then to the empty form.
func TestFormLeadsBackAfterTheSessionEnded(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	path := acme.Path("/settings/api-keys/new")
	w.DB.Exec(`delete from sessions`)
	signIn := "/sign-in?next=" + url.QueryEscape(path)
	cookies := maps.Clone(b.Cookies)
	testkit.RequireRedirect(t, signIn, b.Post(path, url.Values{"name": {"Confidential"}}))
	require.Equal(t, cookies, b.Cookies)
	b.Get(signIn).Has(t, "Your session has ended.")
	w.Browser(t).Get(signIn).Lacks(t, "has ended")
	testkit.RequireRedirect(t, path, b.Get(b.Post(signIn, webtest.Credentials(acme.Owner)).Header.Get("Location")))
	b.Get(path).Is(t, 200).Lacks(t, "Confidential")
	require.Empty(t, w.AllKeys(t, acme))
}

// A screen that requires two-step verification links to its setup, which leads back.
func TestTwoStepSetupLeadsBack(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	create := acme.Path("/settings/api-keys/new")
	b := w.SignIn(t, acme.AdminPlain)
	setUp := "/account/two-step?" + url.Values{"next": {create}}.Encode()
	b.Get(create).Is(t, 403).Has(t, `<a class="btn primary" href="`+setUp+`">Set up two-step verification</a>`)
	b.Get(acme.Path("/settings/api-keys")).Has(t, `href="`+setUp+`">Set up two-step verification</a>`,
		"<strong>Turn on two-step verification to create keys.</strong> You can list and revoke")
	w.SignIn(t, acme.Member).Get(create).Lacks(t, "two-step")
	testkit.RequireRedirect(t, setUp, b.Post(setUp, testkit.Form("do", "begin", "current", testkit.Password)))
	secret := b.BeginTwoStep(testkit.Password)
	b.Get(setUp).Has(t, `action="`+setUp+`"`)
	b.Post(setUp, testkit.Form("do", "on", "code", w.CodeNow(t, secret))).
		Has(t, `<a class="btn" href="`+create+`">Done</a>`, `data-after="`+create+`"`)
	w.SignIn(t, acme.Owner).Get("/account/two-step?next=https://evil.example").Lacks(t, "evil")
}

const confirmation = `<div class="note" role="status">`

// The next page confirms a change once. The sign-in page confirms the sign-out. A forged notice is escaped.
func TestChangeIsConfirmedOnce(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	key := w.NewKey(t, acme, "BI & co", apikeys.ReportsRead)
	next := b.Post(acme.Path("/settings/api-keys/%s/revoke", key.ID), nil).Is(t, 303).Header.Get("Location")
	b.Post(acme.Path("/settings/api-keys/new"), nil).Is(t, 400).Lacks(t, confirmation)
	require.Equal(t, "BI & co has been revoked. Requests with this key are now refused.",
		webtest.NoteTexts(t, b.Get(next).Has(t, confirmation))[0])
	b.Get(next).Lacks(t, confirmation)
	forged := func(notice string) testkit.Page {
		b.Cookies["__Host-dg-notice"] = base64.RawURLEncoding.EncodeToString([]byte(notice))
		return b.Get("/account").Is(t, 200)
	}
	for _, text := range []string{"x", "null", `{"Strong":5}`, `{"Strong":"S`} {
		forged(text).Lacks(t, confirmation)
	}
	forged(`{"Strong":"<b>","Kind":"bad","Action":"Go","ActionPath":"//evil.example"}`).Lacks(t, "evil.example").
		Has(t, confirmation+"<div><strong>&lt;b&gt;</strong></div></div>")
	b.Get(b.Post("/sign-out", nil).Header.Get("Location")).Has(t,
		confirmation+"<div><strong>You have signed out.</strong>")
}

// A link on another site starts no download and adds no entry. The error page links to the screen of the download.
func TestCrossSiteDownloadIsRejected(t *testing.T) {
	w := newRouteWorld(t)
	b := w.SignIn(t, w.acme.Owner)
	pages := map[string]string{} // the page that links to a file, by the file's path
	for _, s := range screens {
		path, isFile := strings.CutSuffix(strings.TrimSuffix(w.pathOf(t, s), "/plays.csv"), ".csv")
		if !isFile && !strings.HasSuffix(s.Path, ".csv") {
			continue
		}
		const query = "?from=2026-01-01&to=2026-01-07"
		file := w.pathOf(t, s) + query
		for _, headers := range []http.Header{
			{"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}},
			{"Sec-Fetch-Site": {"none"}}, {"Referer": {"https://evil.example/" + w.BaseURL}}, {},
			{"Sec-Fetch-Site": {"cross-site"}, "Referer": {w.BaseURL + path}}, {"Referer": {path}},
		} {
			b.Send(http.MethodGet, file, "", headers).Is(t, 403).Has(t, "nothing was downloaded",
				`href="`+path+strings.ReplaceAll(query, "&", "&amp;"))
		}
		pages[file] = w.BaseURL + path
		signedOut := w.Browser(t)
		signedOut.Send(http.MethodGet, file, "", http.Header{}).Is(t, 403)
		testkit.RequireRedirect(t, "/sign-in?"+url.Values{"next": {path + query}}.Encode(), signedOut.Get(file))
	}
	require.Zero(t, w.DB.CountRows(`audit_entries where action like '%export%'`))
	require.NotEmpty(t, pages)
	for file, page := range pages { // a browser without Sec-Fetch-Site, such as iOS before 16.4
		p := b.Send(http.MethodGet, file, "", http.Header{"Referer": {page}})
		require.Contains(t, p.Header.Get("Content-Type"), "csv")
	}
}

// A download is reset when its person loses the role. web/ui and modules/exports test the other reasons.
func TestDownloadIsResetWhenTheRoleIsLost(t *testing.T) {
	w, o := webtest.StartAcme(t)
	fork := w.AddFork(o)
	w.DB.AddPlayers(o.ID, 1)
	w.DB.AddPlays(fork, 60_000, time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC), time.Second)
	w.DB.Exec(`insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action,
		target_kind, target_id, reason, method, path, address, user_agent, request_id)
		select $1, now(), 'key', 'k', 'K', 'api_key.refused', '', '', 'plan', 'GET', repeat('p',
		  300), '192.0.2.1', repeat('u', 250), 'request-' || n from generate_series(1, 60000) n`, o.ID)
	for person, path := range map[testkit.Person]string{
		o.Admin: o.Path("/reports/%s/plays.csv?from=2024-01-01&to=2024-12-31", fork.ID),
		o.Owner: o.Path("/settings/audit-log.csv"),
	} {
		ended := w.BeginDownload(t, w.SignIn(t, person), path)
		w.DB.Exec(`update memberships set role = 'member' where user_id = $1`, person.ID)
		require.ErrorIs(t, <-ended, syscall.ECONNRESET, "a cut transfer must not look complete")
	}
	require.Equal(t, "access_ended", w.ExportsOf(t, o, 1)[0].Details["outcome"])
}

// People with several organisations have a menu of them. For the role member, the menu leads to the account.
func TestOrganisationIsSwitched(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	vale := w.StoreOrganisation(testkit.Organisation{Slug: "a&b", Name: "Vale <b>"})
	club := w.AddOrganisation("club")
	w.DB.Join(vale.ID, acme.Owner.ID, "admin")
	w.DB.Join(club.ID, acme.Owner.ID, "member")
	b := w.SignIn(t, acme.Owner)
	for path, chosen := range map[string]bool{acme.Path("/reports"): true, "/docs": false, "/account": false} {
		p := b.Get(path).Has(t,
			`<li><a href="`+html.EscapeString(vale.Path("/reports"))+`"><bdi>Vale &lt;b&gt;</bdi></a></li>`,
			`<li><a href="/account"><bdi>Organisation club</bdi></a></li>`)
		require.Equal(t, !chosen, strings.Contains(p.Body, "Choose organisation"), path)
		require.Equal(t, chosen, strings.Contains(p.Body, `aria-current="true"><bdi>Organisation acme</bdi>`), path)
	}
	for _, path := range []string{acme.Path("/reports"), "/account", "/docs"} {
		w.SignIn(t, acme.Admin).Get(path).Lacks(t, `class="switch"`)
	}
}

// The menu of organisations is searched by typing and closed by Escape. Times are local, with UTC in their tooltips.
func TestOrganisationIsSwitchedInABrowser(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	vale := w.AddOrganisation("vale")
	w.DB.Join(vale.ID, acme.Owner.ID, "admin")
	for i := range 8 { // with more than eight organisations, the list has a search field
		w.DB.Join(w.AddOrganisation(fmt.Sprint("o", i)).ID, acme.Owner.ID, "admin")
	}
	w.NewKey(t, acme, "BI", apikeys.ForksRead)
	w.DB.Exec(`update api_keys set expires_at = '2199-01-02'`)
	p := browsertest.New(t)
	browsertest.Do(p, "change the time zone", browsertest.Command(emulation.SetTimezoneOverride,
		emulation.SetTimezoneOverrideParams{TimezoneID: "Europe/Amsterdam"}))
	webtest.SignInWith(p, w, acme.Owner, acme.Path("/settings/api-keys/new"))
	p.Click(`label[for="xday"]`)
	p.Fill("#day", "2027-01-02")
	require.Equal(t, "In your time zone (Europe/Amsterdam) the key expires on 2 Jan 2027, 01:00.",
		p.Text("[data-instant]"))
	p.Open(acme.Path("/settings/api-keys"))
	require.Equal(t, "2 Jan 2199, 01:00", p.Text(`td[data-label="Status"] time`))
	require.Equal(t, "2 Jan 2199, 00:00 UTC", p.Attr(`td[data-label="Status"] time`, "title"))
	require.Contains(t, p.Text("[data-zone]"), "Europe/Amsterdam")
	p.ClickAndWaitFor(".switch summary", ".switch[open]")
	webtest.RequireAccessible(t, p, "the list of organisations")
	p.Press(kb.Escape)
	p.WaitFor(".switch:not([open])")
	p.Click(".switch summary")
	p.Press("VALE", kb.Enter)
	require.Equal(t, vale.Path("/reports"), p.Path())
}

// announcedText returns what a screen reader announces, in order: a line for each role, name and description.
func announcedText(t *testing.T, p *browsertest.Page) string {
	t.Helper()
	tree := browsertest.Do(p, "read the tree",
		browsertest.Command(accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}))
	nodes := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range tree.Nodes {
		nodes[n.NodeID] = n
	}
	text := func(v *accessibility.Value) (s string) {
		if v != nil {
			_ = json.Unmarshal([]byte(v.Value), &s) // "" if the value is not text
		}
		return strings.Join(strings.Fields(s), " ")
	}
	lines := []string{}
	var read func(accessibility.NodeID)
	read = func(id accessibility.NodeID) {
		n := nodes[id]
		if n == nil {
			return
		}
		name, description := text(n.Name), text(n.Description)
		if !n.Ignored && name+description != "" {
			require.False(t, description != "" && strings.Contains(name, description), "twice: %s", name)
			lines = append(lines, text(n.Role)+": "+name+" | "+description)
		}
		for _, child := range n.ChildIDs {
			read(child)
		}
	}
	read(tree.Nodes[0].NodeID)
	ids := browsertest.Eval[[]string](p, `[...document.querySelectorAll('[aria-describedby]')]
		.flatMap((el) => el.getAttribute('aria-describedby').split(' '))`)
	slices.Sort(ids)
	require.Len(t, slices.Compact(slices.Clone(ids)), len(ids), "a hint is read once: %s", ids)
	require.Zero(t, browsertest.Eval[int](p, `document.querySelectorAll(
		':is([data-dialog], [data-sheet]):not([aria-haspopup=dialog])').length`), "they open a dialog")
	return strings.Join(lines, "\n")
}

// A screen reader announces the context of figures, choices and controls, and that the secret was copied.
func TestScreenReaderAnnouncesContext(t *testing.T) {
	w, o := webtest.StartAcme(t)
	fork := w.AddFork(o)
	today := time.Now().UTC()
	w.DB.AddPlayers(o.ID, 1)
	w.DB.AddPlays(fork, 9, today.AddDate(0, 0, -2), 0)
	w.DB.AddPlays(fork, 5, today.AddDate(0, 0, -30), 0)
	twins := []apikeys.Key{w.NewKey(t, o, "BI", apikeys.ForksRead), w.NewKey(t, o, "BI", apikeys.ForksRead)}
	p := browsertest.New(t)
	requireAnnounced := func(pattern string) {
		t.Helper()
		require.Regexp(t, "(?s)"+pattern, announcedText(t, p))
	}
	days := func(ago int) string { return ui.Period(reports.Period{From: today.AddDate(0, 0, -ago), Days: 28}) }
	current, compared := `Figures, `+days(28), `Compared with `+days(56)
	webtest.SignInWith(p, w, o.Owner, o.Path("/reports"))
	requireAnnounced(`heading: ` + current + `\. ` + compared + `.*term: Plays`)
	p.Open(o.Path("/reports/%s/players", fork.ID))
	requireAnnounced(`^RootWebArea: Players, .` + fork.Title + `., ` + days(28) + ` – `)
	p.Open(o.Path("/reports/%s?to=%s&from=%s", fork.ID, today.Format(time.DateOnly),
		today.AddDate(0, 0, -27).Format(time.DateOnly)))
	requireAnnounced(`heading: Figures, ` + days(27) + `\. Up to yesterday: [^\n]*, compared with .*term: Plays`)
	p.Open(o.Path("/reports/%s", fork.ID))
	requireAnnounced(`^RootWebArea: .` + fork.Title + `., ` + days(28) + ` – .*heading: ` + current + `\. ` + compared +
		`.*term: Plays.*image: [^\n]*Earlier period: ` + days(56) + `\. All values are in the table below\.` +
		`.*link: Go to the table.*link: By area \|`)
	browsertest.Eval[any](p, `document.querySelector('.plot .skip').click()`)
	p.WaitFor("#c-v")
	require.Contains(t, p.FocusedElement(), "#c-v")
	requireAnnounced(`columnheader: Plays \|.*columnheader: Plays, earlier \|`)
	p.ClickAndWaitFor("#show-score", "#show-score[aria-current]")
	p.WaitFor("#live:not(:empty)")
	require.Regexp(t, "1 person played.*"+current+`\. `+compared, p.Text("#live"))

	p.Open(o.Path("/settings/api-keys"))
	for _, twin := range twins {
		requireAnnounced(`link: Revoke BI [^\n]*` + twin.ID)
	}
	p.Open(o.Path("/settings/audit-log"))
	requireAnnounced(`table: Entries, newest first \|.*DisclosureTriangle: Key created, ` + o.Owner.Name + `, ` + ui.Day(today) + `, \d\d:\d\d: BI`)

	p.Open(o.Path("/settings/audit-log?key=%s", twins[0].ID))
	requireAnnounced(`table: Entries, Key BI [^\n]*, newest first`)

	p.Open(o.Path("/settings/api-keys/new"))
	p.Click("#xday")
	requireAnnounced(`radio: On a date \| [^\n]*The field of the date follows.*Date: Date.*radio: Never`)
	p.Click("#x90")
	p.Fill("#name", "Warehouse")
	p.Click("main button.primary")
	p.WaitFor(`#live:text("Copy your key now. It is shown only once. Waiting for the first request…")`)
	require.Equal(t, 1, browsertest.Eval[int](p,
		`document.querySelectorAll('[role=status], [role=alert], [aria-live]').length`))
	p.CopiedText(func() { p.Click(`[data-copy="secret"]`) })
	p.WaitFor(`#live:text("Key copied.")`)
	require.Equal(t, "Done", p.Text("main .primary"), "the next step")
	requireAnnounced(`group: New key.*button: Copy key \|`)
	browsertest.Eval[any](p, `{ navigator.clipboard.writeText = () => Promise.reject(); }`)
	p.ClickAndWaitFor(`[data-copy="secret"]`, `#live:text("Copying failed. The text is selected: copy it.")`)
	requireAnnounced(`button: Copy key \|`)
}

// An error page says what happened and has a link to continue. All pages but those of 404 show the request id.
func TestErrorPageSaysWhatHappenedAndWhereToGo(t *testing.T) {
	w := webtest.Start(t)
	acme := w.StoreOrganisation(testkit.Organisation{Slug: "acme", Name: "Acme <Works>"})
	owner := w.SignIn(t, acme.Owner)
	fork := acme.Path("/reports/%s", w.AddFork(acme).ID)
	const noPage = "The address is wrong, or the page no longer exists."
	stale := w.SignIn(t, acme.Admin)
	w.DB.Exec(`delete from sessions where user_id = $1`, acme.Admin.ID)
	for _, c := range []struct {
		page                 testkit.Page
		status               int
		title, message, link string
	}{
		{w.Browser(t).Get("/nowhere"), 404, "Page not found", noPage, `href="/sign-in">Sign in`},
		{w.Browser(t).Get("/docs/nowhere"), 404, "Page not found", noPage, `href="/docs">Open API docs`},
		{owner.Get("/nowhere").Has(t, "Acme &lt;Works&gt;", "Sign out"), 404, "Page not found", noPage, `/reports">Open reports`},
		{stale.Get("/nowhere").Lacks(t, "Sign in", "Sign out"), 404, "Page not found", noPage, `href="/">Open reports`},
		{owner.Get(acme.Path("/reports/x")), 404, "Fork not found",
			"It does not exist, or belongs to another organisation.", `href="` + acme.Path("/reports") + `">Open reports`},
		{owner.Get(fork + "/plays.csv?from=2026-03-01&groupId=x&to=2026-03-02"), 404, "Group not found",
			"It does not exist, or belongs", fork + `?from=2026-03-01&amp;to=2026-03-02">Show all players`},
		{owner.Get("/o/other/reports"), 404, "Page not found",
			"Organisation not found, or you are not a member of it.", `href="/">Choose organisation`},
		{w.SignIn(t, acme.Member).Get(acme.Path("/reports")), 403, "Access denied",
			"Only owners and admins of \u2068Acme &lt;Works&gt;\u2069 can open reports and settings. " +
				"The operator of DG can change your role.", `href="/account">Open your account`},
		{owner.Send(http.MethodPost, "/docs", "x=y", nil), 405, "Page not found", noPage, `href="/">Open reports`},
		{owner.Get(acme.Path("/settings/audit-log?from=x")), 400, "Request failed", "unknown value", `/audit-log">Open Audit log`},
	} {
		c.page.Is(t, c.status).Has(t, "<h1>"+c.title+"</h1>", "<title>"+c.title+" – ", c.message,
			c.link+`</a>`).Lacks(t, "Operated by", "mailto:")
		require.Equal(t, c.status != 404, strings.Contains(c.page.Body,
			`<code id="rid">`+c.page.Header.Get("X-Request-Id")+`</code>`))
		require.NotEmpty(t, c.page.Header.Get("Content-Security-Policy"))
	}
}

// An error page names the operator. A 503 page reloads after the interval in data-retry. A form stays, and says why.
func TestErrorPageNamesTheOperatorAndReloads(t *testing.T) {
	w := webtest.StartWith(t, assembly.Settings{Operator: mail.Address{Name: "Help <desk>", Address: "dg@example.org"}})
	acme := w.AddOrganisation("acme")
	w.Browser(t).Get("/nowhere").Is(t, 404).Lacks(t, "data-retry").Has(t,
		`Operated by <bdi>Help &lt;desk&gt;</bdi>, <a href="mailto:dg@example.org">dg@example.org</a>`)
	owner := w.SignIn(t, acme.Owner)
	p := browsertest.New(t)
	webtest.SignInWith(p, w, acme.Owner, "/account/password")
	browsertest.Eval[any](p, `{ for (const field of document.querySelectorAll('[required]')) field.value = '`+testkit.Password+`'; }`)
	w.DB.Exec(`alter table audit_entries add constraint refused check (false) not valid`)
	p.ClickAndWaitFor(`main button.primary`, `form > .error[role=alert]:text("The audit log cannot be written at the moment, so nothing `+
		`was changed. Try again in a moment.")`)
	browsertest.Eval[any](p, `{ fetch = async () => new Response('<h1>Bad Gateway</h1>', {status: 502}); }`)
	p.ClickAndWaitFor(`main button.primary`, `form > .error:text("DG did not answer: the change may have been made. `+
		`Look before you send the form again.")`)
	w.DB.Exec(`create function down() returns bool language plpgsql as
			$$ begin raise sqlstate '57P03'; end $$;
		alter table sessions rename to away;
		create view sessions as select * from away where down();
		grant all on sessions to public`)
	owner.Get("/account?x=dg_live_secret").Is(t, 503).Has(t, "<h1>Service unavailable</h1>", "data-retry",
		`<a class="btn primary" href="">Try again</a>`).Lacks(t, "Retry-After", "Sign in", "dg_live_", "have been made")
	owner.Post("/account", nil).Is(t, 503).Lacks(t, "data-retry").Has(t, "The change may have been made")
	p.Open("/account")
	require.Contains(t, p.Text("main"), "This page tries again")
	w.DB.Exec(`drop view sessions; alter table away rename to sessions`)
	p.WaitFor(`h1:text("Account")`)
}

// API paths, requests with an API key, and clients that accept only JSON get errors in JSON, not as pages.
func TestErrorsArePagesInBrowsersOnly(t *testing.T) {
	_, _, b := webtest.StartAsOwner(t)
	for path, header := range map[string]http.Header{
		"/api/v1/nowhere": nil, "/nowhere": {"Authorization": {"Bearer dg_live_x"}},
		"/elsewhere": {"Authorization": {"Basic eA==", "Bearer dg_live_x"}}, "/other": {"Accept": {"application/json"}},
	} {
		p := b.Send(http.MethodGet, path, "", header)
		require.True(t, strings.HasPrefix(p.Body, `{"code":"`), "%s: %s", path, p.Body)
	}
}
