package auditlog_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/web/internal/webtest"
)

var entryLink = regexp.MustCompile(`href="([^"]*[?&;]entry=(\d+)[^"]*)#entry"`)

// listed are the numbers of the entries on a page of the log, none of which is open.
func listed(t *testing.T, p webtest.Page) []int64 {
	t.Helper()
	ids := []int64{}
	for _, link := range entryLink.FindAllStringSubmatch(p.Body, -1) {
		id, err := strconv.ParseInt(link[2], 10, 64)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return ids
}

// linkOf is the address behind the words of a page, or "".
func linkOf(p webtest.Page, words string) string {
	found := regexp.MustCompile(`<a [^>]*href="([^"]*)"[^>]*>` + regexp.QuoteMeta(words)).
		FindStringSubmatch(p.Body)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

// Owners and admins read the log, its file and the organisation; owners change the reporting mode.
// Another organisation is unknown.
func TestMembersSeeNeitherLogNorOrganisation(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	other := w.Organisation("other")
	const read = "read"
	const mode = "reporting mode"
	ok := http.StatusOK
	redirect := http.StatusSeeOther
	forbidden := http.StatusForbidden
	notFound := http.StatusNotFound
	changes := 0
	for name, c := range map[string]struct {
		b    *webtest.Browser
		want map[string]int
	}{
		"owner": {
			w.SignedIn(t, acme.Owner), map[string]int{read: ok, mode: ok, "change": redirect},
		},
		"admin with two-step": {
			w.SignedIn(t, acme.Admin), map[string]int{
				read:     ok,
				mode:     forbidden,
				"change": forbidden,
			},
		},
		"admin without two-step": {
			w.SignedIn(t, acme.AdminPlain), map[string]int{
				read:     ok,
				mode:     forbidden,
				"change": forbidden,
			},
		},
		"member": {
			w.SignedIn(t, acme.Member), map[string]int{
				read:     forbidden,
				mode:     forbidden,
				"change": forbidden,
			},
		},
		"other organisation": {
			w.SignedIn(t, other.Owner), map[string]int{
				read:     notFound,
				mode:     notFound,
				"change": notFound,
			},
		},
		"signed out": {
			w.Browser(t), map[string]int{read: redirect, mode: redirect, "change": redirect},
		},
	} {
		statuses := []string{}
		for screen, permission := range map[string]string{
			"/settings/audit-log":                   read,
			"/settings/audit-log.csv":               read,
			"/settings/organisation":                read,
			"/settings/organisation/reporting-mode": mode,
		} {
			p := c.b.Get(acme.At("%s", screen))
			statuses = append(statuses, fmt.Sprintf("%s %d", screen, p.StatusCode))
			require.Equal(t, c.want[permission], p.StatusCode, "%s: %s", name, screen)
			if name == "signed out" {
				require.True(t, strings.HasPrefix(p.Header.Get("Location"), "/sign-in?next="),
					"%s: %s", name, screen)
			}
			if p.StatusCode != ok {
				require.NotContains(t, p.Body, acme.Owner.Email, "%s: %s", name, screen)
			}
		}
		p := c.b.Post(acme.At("/settings/organisation/reporting-mode"), webtest.ToNominative(acme))
		statuses = append(statuses, fmt.Sprintf("change %d", p.StatusCode))
		require.Equal(t, c.want["change"], p.StatusCode, name)
		entries := 0
		if name == "owner" {
			entries = 1
			require.Equal(t, redirect,
				c.b.Post(acme.At("/settings/organisation/reporting-mode"),
					url.Values{"mode": {"pseudonymous"}}).StatusCode)
		}
		log := slices.DeleteFunc(w.LogOf(t, acme), func(e audit.Entry) bool {
			return e.Action == audit.LogExported
		})
		require.Len(t, log, changes+2*entries, "%s: what was refused changed nothing", name)
		changes += 2 * entries
		if screen := c.b.Get(acme.At("/settings/organisation")); c.want[read] == ok {
			require.Equal(t, c.want[mode] == ok,
				strings.Contains(screen.Body, "Change reporting mode"), "%s: what is offered", name)
			require.Equal(t, c.want[mode] != ok,
				strings.Contains(screen.Body, "Only an owner can change this."), name)
		}
		slices.Sort(statuses)
		t.Logf("%-24s %s", name, strings.Join(statuses, "  "))
	}
}
