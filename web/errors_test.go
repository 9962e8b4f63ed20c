package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// An error page says what happened, and has one link to continue and the request id. A 403 says who
// can help.
func TestErrorPageSaysWhatHappenedAndWhereToGo(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.OrganisationOf(fixtures.Organisation{Slug: "acme", Name: "Acme <Works>"})
	owner := w.SignedIn(t, acme.Owner)
	member := w.SignedIn(t, acme.Member)
	for name, c := range map[string]struct {
		page           webtest.Page
		status         int
		title, message string
		way            string
	}{
		"unknown, signed out": {
			w.Browser(t).Get("/nowhere"), 404, "Page not found",
			"The address is wrong, or the page no longer exists.", `href="/sign-in">Sign in`,
		},
		"unknown, signed in": {
			owner.Get("/nowhere"), 404, "Page not found",
			"The address is wrong, or the page no longer exists.",
			`href="/o/acme/reports">Go to reports`,
		},
		"another organisation": {
			owner.Get("/o/other/reports"), 404, "Page not found",
			"Organisation not found, or you are not a member of it.",
			`href="/o/acme/reports">Go to reports`,
		},
		"a member at the reports": {member.Get(acme.At("/reports")), 403, "Access denied",
			"Only owners and admins of \u2068Acme &lt;Works&gt;\u2069 can open reports and " +
				"settings. To get access, ask an owner to change your role.",
			`href="/account">Go to your account`},
		"a form of another site": {owner.Send(http.MethodPost, "/sign-out", "x=y",
			http.Header{"Sec-Fetch-Site": {"cross-site"}}), 403, "Nothing was changed",
			"This form was sent from another site", `href="/o/acme/reports">Go to reports`},
		"another method": {
			owner.Post("/docs", url.Values{}), 405, "Method not allowed",
			"Go back, reload the page and try again.", `href="/o/acme/reports">Go to reports`,
		},
	} {
		require.Equal(t, c.status, c.page.StatusCode, name)
		c.page.Has(t, "<h1>"+c.title+"</h1>", "<title>"+c.title+" – ", c.message,
			`<a class="btn primary" `+c.way+`</a>`,
			`<code id="rid">`+c.page.Header.Get("X-Request-Id")+`</code>`)
		require.Equal(t, 1, strings.Count(c.page.Body, `class="btn primary"`), name)
		require.NotEmpty(t, c.page.Header.Get("Content-Security-Policy"), name)
	}

	w.DB.Exec(`create function down() returns bool language plpgsql as
			$$ begin raise sqlstate '57P03'; end $$;
		alter table sessions rename to away;
		create view sessions as select * from away where down();
		grant all on sessions to public`)
	owner.Get("/account?x=1").Is(t, 503).Has(t, "<h1>Service unavailable</h1>",
		`<a class="btn primary" href="/account?x=1">Try again</a>`).Lacks(t, "Retry-After")
}
