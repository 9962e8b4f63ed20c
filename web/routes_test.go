package web_test

import (
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/authz"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
	"dg/web"
	"dg/web/internal/webtest"
	"dg/web/ui"
)

var screens = web.New(web.Dependencies{}, "", time.Now).Screens()

// routeWorld is an organisation with the objects that the screens' paths name.
type routeWorld struct {
	*webtest.World
	acme *webtest.Organisation
	fork string
}

func newRouteWorld(t *testing.T) *routeWorld {
	w, acme := webtest.StartAcme(t)
	return &routeWorld{w, acme, w.AddPlayedFork(acme)}
}

// pathOf returns the address of a screen. If the path needs a key, it creates one.
func (w *routeWorld) pathOf(t *testing.T, s web.Screen) string {
	path := strings.NewReplacer(":org", w.acme.Slug, ":fork", w.fork, ":recipe", "python",
		":operation", "getForkStats").Replace(s.Path)
	if strings.Contains(path, ":key") {
		return strings.Replace(path, ":key", w.NewKey(t, w.acme, "BI", apikeys.ForksRead).ID, 1)
	}
	return path
}

// reader is a person who requests screens. role is "" for someone outside the organisation.
type reader struct {
	name          string
	browser       *testkit.Browser
	role          string
	twoStep       bool
	refusedStatus int // the status of a screen that the reader may not open
}

func (w *routeWorld) readers(t *testing.T) []reader {
	other := w.AddOrganisation("other")
	return []reader{
		{"owner", w.SignIn(t, w.acme.Owner), "owner", false, 403},
		{"admin with two-step", w.SignIn(t, w.acme.Admin), "admin", true, 403},
		{"admin without", w.SignIn(t, w.acme.AdminPlain), "admin", false, 403},
		{"member", w.SignIn(t, w.acme.Member), "member", false, 403},
		{"other organisation", w.SignIn(t, other.Owner), "", false, 404},
		{"signed out", w.Browser(t), "", false, 303},
	}
}

func (r reader) mayOpen(t *testing.T, s web.Screen) bool {
	policy := tb.Must(authz.New())(t)
	return policy.Authorize(authz.Subject{Kind: authz.Member, OrganisationID: "acme",
		Grants: authz.MemberGrants(r.role, r.twoStep)}, s.Permission, "acme") == nil
}

// A role can open a screen and send its form if, and only if, it has the screen's permission.
func TestEveryScreenChecksItsPermission(t *testing.T) {
	w := newRouteWorld(t)
	for _, r := range w.readers(t) {
		for _, s := range screens {
			if s.Permission == (authz.Permission{}) {
				continue
			}
			pages := []testkit.Page{r.browser.Get(w.pathOf(t, s))}
			if s.Form != nil {
				pages = append(pages, r.browser.Post(w.pathOf(t, s), url.Values{"a": {"b"}}))
			}
			for _, p := range pages {
				if r.mayOpen(t, s) {
					assert.Less(t, p.StatusCode, 401, "%s, %s", r.name, s.Path)
					continue
				}
				assert.Equal(t, r.refusedStatus, p.StatusCode, "%s, %s", r.name, s.Path)
				if r.refusedStatus == 303 {
					assert.Contains(t, p.Header.Get("Location"), "/sign-in?next=", s.Path)
				}
			}
		}
	}
}

// linkExpression matches the targets of links and forms. Its first group is "post" for a form that changes something.
const linkExpression = `(?:href|(?:method="(post)" )?action)="(/[^"#?]*)([^"#]*)`

// The links and forms of the screens offer each role exactly the permitted screens.
func TestScreensOfferWhatThePolicyAllows(t *testing.T) {
	w := newRouteWorld(t)
	w.NewKey(t, w.acme, "BI", apikeys.ForksRead)
	for _, r := range w.readers(t)[:4] {
		offered := map[string]bool{}
		for queue := []string{"/account"}; len(queue) > 0; queue = queue[1:] {
			p := r.browser.Get(queue[0]).Is(t, 200)
			for _, link := range testkit.Submatches(linkExpression, p.Body) {
				for _, s := range screens {
					if !fiber.RoutePatternMatch(link[1], s.Path) ||
						strings.Contains(s.Path, ":key") && strings.HasSuffix(link[1], "/new") {
						continue
					}
					offer := link[0] + s.Path
					if link[0] == "" && !offered[offer] {
						queue = append(queue, link[1]+link[2])
					}
					offered[offer] = true
				}
			}
		}
		for _, s := range screens {
			if s.Permission != (authz.Permission{}) {
				allowed := r.mayOpen(t, s)
				message := map[bool]string{true: "no screen links to it", false: "a screen links to it"}[allowed]
				assert.Equal(t, allowed, offered[s.Path], "%s, %s: %s", r.name, s.Path, message)
				assert.Equal(t, allowed && s.Form != nil, offered["post"+s.Path], "%s, the form of %s", r.name, s.Path)
			}
		}
	}
}

// A change of role, second factor or membership takes effect on the next request.
func TestRevokedRoleTakesEffectOnTheNextRequest(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	list := acme.Path("/settings/api-keys")
	create := acme.Path("/settings/api-keys/new")
	admin := w.SignIn(t, acme.Admin)
	for _, c := range []struct {
		change       string
		list, create int
	}{
		{`update memberships set role = 'member' where user_id = $1`, 403, 403},
		{`update memberships set role = 'admin' where user_id = $1`, 200, 200},
		// a change of two-step verification ends the session
		{`update users set totp_secret = null where id = $1`, 303, 303},
	} {
		w.DB.Exec(c.change, acme.Admin.ID)
		admin.Get(list).Is(t, c.list)
		admin.Get(create).Is(t, c.create)
	}
	acme.Admin.TOTPSecret = ""
	admin = w.SignIn(t, acme.Admin)
	admin.Get(create).Is(t, 403)
	w.DB.Exec(`delete from memberships where user_id = $1`, acme.Admin.ID)
	admin.Get(list).Is(t, 404)
}

// Forms from another site, or without a header that names the site, are refused. Older browsers send Origin.
func TestCrossOriginFormsAreRejected(t *testing.T) {
	w := newRouteWorld(t)
	b := w.SignIn(t, w.acme.Owner)
	rejected := []http.Header{
		{"Sec-Fetch-Site": {"cross-site"}},
		{"Sec-Fetch-Site": {"same-site"}},
		{"Sec-Fetch-Site": {"cross-site"}, "Origin": {w.BaseURL}},
		{"Origin": {"https://evil.example"}},
		{"Origin": {"null"}}, // a sandboxed page sends null
		{"Referer": {w.BaseURL + "/account"}},
		{},
	}
	for _, s := range screens {
		for _, header := range rejected {
			if s.Form == nil {
				break
			}
			p := b.Send(http.MethodPost, w.pathOf(t, s), "current=x", header).Is(t, 403)
			require.Regexp(t, "<h1>Nothing was changed</h1>.*This form", p.Body, s.Path)
		}
	}
	b.Get("/account").Is(t, 200)
	for _, header := range []http.Header{
		{"Sec-Fetch-Site": {"same-origin"}},
		{"Sec-Fetch-Site": {"same-origin"}, "Origin": {w.BaseURL}},
		{"Sec-Fetch-Site": {"none"}}, // started by the person, not by a page
		{"Origin": {w.BaseURL}},
	} {
		b := w.SignIn(t, w.acme.Owner)
		session := b.Cookies["__Host-dg"]
		b.Send(http.MethodPost, "/sign-out", "x=y", header).Is(t, 303)
		b.Cookies["__Host-dg"] = session
		testkit.RequireRedirect(t, "/sign-in", b.Get("/")) // the server forgets the session, whatever the browser keeps
	}
}

var postFormPattern = regexp.MustCompile(`<form [^>]*method="post"[^>]*>.{0,150}`)

// If another account opened a form, or another organisation had its address, sending the form changes nothing.
func TestFormOfAnotherAccountChangesNothing(t *testing.T) {
	w := newRouteWorld(t)
	owner := w.SignIn(t, w.acme.Owner)
	admin := w.SignIn(t, w.acme.Admin)
	stranger := w.SignIn(t, w.AddOrganisation("other").Owner)
	formCount := 0
	for _, s := range screens {
		path := w.pathOf(t, s)
		if s.Page != nil && !strings.Contains(path, "/reset") {
			for id, browser := range map[string]*testkit.Browser{w.acme.Owner.ID: owner, w.acme.Admin.ID: admin} {
				for _, form := range postFormPattern.FindAllString(browser.Get(path).Body, -1) {
					require.Contains(t, form, `name="account" value="`+id+`"><input type="hidden" name="tenant"`, path)
					formCount++
				}
			}
		}
		if s.Form == nil || strings.HasPrefix(s.Path, "/sign-in") || s.Path == "/account/reset" {
			continue
		}
		const entries = `audit_entries where action <> 'export.finished'` // of a download before, perhaps only now
		before := w.DB.CountRows(entries)
		for _, b := range []*testkit.Browser{owner, stranger} {
			b.Post(path, testkit.Form("account", w.acme.Admin.ID)).Is(t, 403).
				Has(t, "opened by another account. You are signed in as \u2068owner of", "Nothing was changed.")
		}
		if strings.HasPrefix(path, "/o/") {
			owner.Post(path, testkit.Form("tenant", w.acme.Owner.ID)).Is(t, 403).Has(t, "in another organisation.")
		}
		require.Equal(t, before, w.DB.CountRows(entries), path)
	}
	require.Greater(t, formCount, 10)
}

// A script sends each form once, unless sending it twice does no harm.
func TestFormsAreSentOnce(t *testing.T) {
	harmless := []string{"account.html", "begin.html", "key-revoke.html", "keys.html", "sign-in.html"}
	var sentTwice []string
	for _, name := range tb.Must(filepath.Glob("*/templates/*.html"))(t) {
		for _, form := range testkit.Submatches(`<form ([^>]*method="post"[^>]*)`, string(tb.Must(os.ReadFile(name))(t))) {
			if !strings.Contains(form[0], "data-submit-once") {
				sentTwice = append(sentTwice, filepath.Base(name))
			}
		}
	}
	require.ElementsMatch(t, harmless, sentTwice)
}

// No page repeats the secret of a key that is pasted into a search or an address.
func TestPastedKeyIsNotRepeated(t *testing.T) {
	w := newRouteWorld(t)
	pasted := apikeys.NewToken()
	readers := map[*testkit.Browser]http.Header{
		w.SignIn(t, w.acme.Owner): testkit.SameOrigin, w.SignIn(t, w.acme.AdminPlain): nil, w.Browser(t): nil}
	for _, s := range screens {
		path := w.pathOf(t, s)
		for _, name := range []string{"q", "player", "key", "from", "groupId", "sort", "page"} {
			for b, header := range readers {
				p := b.Send(http.MethodGet, ui.WithParam(path, name, pasted.String()), "", header)
				require.NotContains(t, p.Body+p.Header.Get("Location"), pasted.Secret[:12], path)
			}
		}
	}
}

// Every page has security headers, unique ids and no inline script. HEAD has the headers of GET, and starts no export.
func TestEveryPageHasSecurityHeaders(t *testing.T) {
	w := newRouteWorld(t)
	b := w.SignIn(t, w.acme.Owner)
	paths := []string{"/", "/nowhere", w.acme.Path("/nowhere")}
	for _, s := range screens {
		if s.Page != nil {
			paths = append(paths, w.pathOf(t, s))
		}
	}
	for _, path := range paths {
		p := b.Get(path).Lacks(t, "style=")
		require.NotRegexp(t, `<script[^>]*>[^<]|<[^<>]* on\w+=`, p.Body, "%s: inline script", path)
		require.NotRegexp(t, `<(script|link|img)[^>]* (src|href)="(https?:|//)`, p.Body, "%s: of another host", path)
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
				"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
			"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": "same-origin",
			"Referrer-Policy": map[bool]string{true: "strict-origin", false: "same-origin"}[path == "/account/reset"],
		} {
			require.Equal(t, want, p.Header.Get(name), "%s of %s", name, path)
		}
		require.Contains(t, p.Header.Get("Cache-Control"), "no-store", path)
		ids := slices.Sorted(slices.Values(slices.Concat(testkit.Submatches(`<[^>]* id="([^"]*)"`, p.Body)...)))
		require.Equal(t, ids, slices.Compact(slices.Clone(ids)), "%s: each id once", path)
		head := b.Send(http.MethodHead, path, "", testkit.SameOrigin).Is(t, p.StatusCode)
		require.Empty(t, head.Body, path)
		for _, name := range []string{
			"Cache-Control", "Content-Type", "Content-Security-Policy", "X-Frame-Options", "Location",
		} {
			require.Equal(t, p.Header.Get(name), head.Header.Get(name), "%s of %s", name, path)
		}
	}
	require.Len(t, w.ExportsOf(t, w.acme, 1), 2, "one export, of GET")
}

// Form fields in the query are ignored, because addresses get into links and logs.
func TestFormFieldsInTheQueryAreIgnored(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	path := acme.Path("/settings/organisation/reporting-mode")
	b.Post(path+"?mode=nominative", url.Values{"mode": {"pseudonymous"}}).Is(t, 303)
	require.Empty(t, w.LogOf(t, acme), "the mode of the body is not new")
	w.Browser(t).Post("/sign-in?password="+url.QueryEscape(testkit.Password),
		url.Values{"email": {acme.Owner.Email}}).Is(t, 401)
}

// The log has every request of a signed-in person. Package httpserver samples other requests.
func TestRequestsOfSignedInPeopleAreAllLogged(t *testing.T) {
	w, _, owner := webtest.StartAsOwner(t)
	for range 200 {
		owner.Get("/account")
	}
	require.Equal(t, 200, strings.Count(w.ProgramLog.String(), "path=/account"))
}

type sensitiveForm struct {
	path       string
	fields     url.Values
	keptFields []string // texts that the form still has after an error
	wantStatus int      // status of the response to the change
}

// sensitiveForms returns all sensitive forms by name. It makes acme.Admin, who uses two-step, an owner.
func sensitiveForms(t *testing.T, w *webtest.World, acme *webtest.Organisation) map[string]sensitiveForm {
	w.DB.Exec(`update memberships set role = 'owner' where user_id = $1`, acme.Admin.ID)
	old := w.NewKey(t, acme, "BI", apikeys.ReportsRead)
	return map[string]sensitiveForm{
		"a new key": {acme.Path("/settings/api-keys/new"), testkit.Form("name", "Warehouse", "description", "Ask Bo",
			"scopes", "reports:read", "expiry", "day", "day", "2027-01-02"), []string{
			`value="Warehouse"`, `value="Ask Bo"`, `value="2027-01-02"`, `value="reports:read" aria-describedby="sr-h" checked`,
			`id="xday" name="expiry" value="day" aria-describedby="xdayh" checked`}, http.StatusOK},
		"a replacement": {acme.Path("/settings/api-keys/%s/replace", old.ID), webtest.ReplacementForm("week"),
			[]string{`id="oweek" name="overlap" value="week" aria-describedby="oweekh" checked`}, http.StatusOK},
		"a mode": {acme.Path("/settings/organisation/reporting-mode"),
			testkit.Form("mode", "nominative", "organisation", acme.Name),
			[]string{`value="nominative" checked`, `name="organisation" value="` + acme.Name + `"`}, http.StatusSeeOther},
	}
}

func (s sensitiveForm) withProof(password, code string) url.Values {
	form := maps.Clone(s.fields)
	form.Set("current", password)
	form.Set("code", code)
	return form
}

func ageSessions(w *webtest.World, age string) {
	w.DB.Exec(`update sessions set authenticated_at = now() - $1::interval`, age)
}

// proofFields reports whether a page asks for the password, and whether it asks for the code.
func proofFields(p testkit.Page) [2]bool {
	return [2]bool{strings.Contains(p.Body, `name="current"`), strings.Contains(p.Body, `name="code"`)}
}

func keysAndModes(w *webtest.World) string {
	return testkit.Query[string](w.DB, `select concat_ws(' ',
		(select string_agg(id || coalesce(revoked_at::text, ''), ',' order by id) from api_keys),
		(select string_agg(reporting_mode, ',' order by id) from organisations))`)
}

// rules.md, Keys: after 15 minutes each sensitive form asks for the password in place, keeps its fields, and proceeds.
func TestSensitiveFormsAskForThePasswordInPlace(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	const again = "Enter your password again."
	for name, s := range sensitiveForms(t, w, acme) {
		t.Run(name, func(t *testing.T) {
			b := w.SignIn(t, acme.Admin)
			require.Equal(t, [2]bool{}, proofFields(b.Get(s.path)), "the sign-in counts")
			ageSessions(w, "15 minutes 1 second")
			opened := b.Get(s.path).Is(t, 200)
			require.Equal(t, [2]bool{true, true}, proofFields(opened))
			opened.Lacks(t, `id="errors"`)
			head := b.Send(http.MethodHead, s.path, "", nil)
			require.Equal(t, len(opened.Body), int(head.ContentLength), "HEAD does not submit the form")
			before := keysAndModes(w)
			for _, c := range []struct{ password, code, message string }{
				{"", "", again},
				{"", w.CodeNow(t, testkit.TOTPSecret), again},
				{"wrong horse battery", w.CodeNow(t, testkit.TOTPSecret), "The password is wrong."},
				{testkit.Password, "", "Enter the code from your authenticator app, or a recovery code."},
				{testkit.Password, "000000", "The code is wrong, expired or already used."},
			} {
				p := b.Post(s.path, s.withProof(c.password, c.code)).Is(t, 422)
				p.Has(t, "<title>Error: ", "<strong>1 thing to fix.</strong> Nothing has been saved.", c.message)
				require.Equal(t, [2]bool{true, true}, proofFields(p))
				p.Has(t, s.keptFields...)
				require.NotContains(t, p.Body, "horse battery", "a password is never shown again")
			}
			require.Equal(t, before, keysAndModes(w))
			require.Equal(t, 1, testkit.Query[int](w.DB, `select sum(wrong) from password_guesses`),
				"a missing code does not count as a wrong one")
			p := b.Post(s.path, s.withProof(testkit.Password, w.CodeNow(t, testkit.TOTPSecret)))
			require.Equal(t, s.wantStatus, p.StatusCode, p.Body)
			require.NotEqual(t, before, keysAndModes(w))
			require.Equal(t, [2]bool{}, proofFields(b.Get(s.path)))
		})
	}
}

// A form shows all its errors at once. A correct password is accepted even if the form has errors.
func TestRightPasswordCountsInAFormWithErrors(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	path := acme.Path("/settings/api-keys/new")
	ageSessions(w, "1 hour")
	form := testkit.Form("expiry", "90", "current", "wrong horse battery")
	p := b.Post(path, form).Is(t, 422).Has(t, "<strong>3 things to fix.</strong>",
		"Enter a name.", "Choose at least one scope.", "The password is wrong.")
	require.Equal(t, [2]bool{true, false}, proofFields(p), "without two-step verification there is no code")
	form.Set("current", testkit.Password)
	p = b.Post(path, form).Is(t, 400).Has(t, "<strong>2 things to fix.</strong>")
	require.Equal(t, [2]bool{}, proofFields(p))
}

// Revoking and renaming need no password: a leaked key must be revoked without delay, and a name is not sensitive.
func TestRevokingAndRenamingNeedNoPassword(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	key := w.NewKey(t, acme, "BI", apikeys.ReportsRead)
	ageSessions(w, "10 hours")
	for path, form := range map[string]url.Values{"/rename": {"name": {"Warehouse"}}, "/revoke": {}} {
		page := acme.Path("/settings/api-keys/%s", key.ID) + path
		require.Equal(t, [2]bool{}, proofFields(b.Get(page)), path)
		b.Post(page, form).Is(t, 303)
	}
}
