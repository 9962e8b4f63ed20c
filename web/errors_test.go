package web_test

import (
	"net/http"
	"net/mail"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/assembly"
	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
	"dg/web/internal/webtest"
)

// An error page says what happened and has a link to continue. All pages but those of 404 show the request id.
func TestErrorPageSaysWhatHappenedAndWhereToGo(t *testing.T) {
	w := webtest.Start(t)
	acme := w.StoreOrganisation(testkit.Organisation{Slug: "acme", Name: "Acme <Works>"})
	owner := w.SignIn(t, acme.Owner)
	const noPage = "The address is wrong, or the page no longer exists."
	stale := w.SignIn(t, acme.Admin)
	w.DB.Exec(`delete from sessions where user_id = $1`, acme.Admin.ID)
	for _, c := range []struct {
		page                 testkit.Page
		status               int
		title, message, link string
	}{
		{w.Browser(t).Get("/nowhere"), 404, "Page not found", noPage, `href="/sign-in">Sign in`},
		{owner.Get("/nowhere").Has(t, "Acme &lt;Works&gt;", "Sign out"), 404, "Page not found", noPage,
			`href="` + acme.Path("/reports") + `">Open reports`},
		{stale.Get("/nowhere").Lacks(t, "Sign in", "Sign out"), 404, "Page not found", noPage, `href="/">Open reports`},
		{owner.Get(acme.Path("/reports/x")), 404, "Fork not found",
			"It does not exist, or belongs to another organisation.", `href="` + acme.Path("/reports") + `">Open reports`},
		{owner.Get("/o/other/reports"), 404, "Page not found",
			"Organisation not found, or you are not a member of it.", `href="/">Choose organisation`},
		{w.SignIn(t, acme.Member).Get(acme.Path("/reports")), 403, "Access denied",
			"Only owners and admins of \u2068Acme &lt;Works&gt;\u2069 can open reports and settings. " +
				"The operator of DG can change your role.", `href="/account">Open your account`},
		{owner.Send(http.MethodPost, "/docs", "x=y", nil), 405, "Request failed", "Allow header", `href="/">Open reports`},
	} {
		c.page.Is(t, c.status).Has(t, "<h1>"+c.title+"</h1>", "<title>"+c.title+" – ", c.message,
			c.link+`</a>`).Lacks(t, "Operated by", "mailto:")
		require.Equal(t, c.status != 404, strings.Contains(c.page.Body,
			`<code id="rid">`+c.page.Header.Get("X-Request-Id")+`</code>`))
		require.NotEmpty(t, c.page.Header.Get("Content-Security-Policy"))
	}
}

// An error page names the operator. A 503 page reloads after the interval in data-retry, unless it answers a form.
func TestErrorPageNamesTheOperatorAndReloads(t *testing.T) {
	w := webtest.StartWith(t, assembly.Settings{Operator: mail.Address{Name: "Help <desk>", Address: "dg@example.org"}})
	acme := w.AddOrganisation("acme")
	w.Browser(t).Get("/nowhere").Is(t, 404).Lacks(t, "data-retry").Has(t,
		`Operated by <bdi>Help &lt;desk&gt;</bdi>, <a href="mailto:dg@example.org">dg@example.org</a>`)
	owner := w.SignIn(t, acme.Owner)
	p := browsertest.New(t)
	webtest.SignInWith(p, w, acme.Owner, "/account")
	w.DB.Exec(`create function down() returns bool language plpgsql as
			$$ begin raise sqlstate '57P03'; end $$;
		alter table sessions rename to away;
		create view sessions as select * from away where down();
		grant all on sessions to public`)
	owner.Get("/account?x=1").Is(t, 503).Has(t, "<h1>Service unavailable</h1>",
		`<a class="btn primary" href="/account?x=1">Try again</a>`).Lacks(t, "Retry-After", "Sign in").
		Has(t, "data-retry")
	owner.Post("/account", nil).Is(t, 503).Lacks(t, "data-retry")
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
