package web_test

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

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/authz"
)

// newKey makes a key of the organisation, by its owner.
func (w *world) newKey(t *testing.T, o *organisation, name string, scopes ...apikeys.Scope) apikeys.Key {
	t.Helper()
	key, _, err := w.keys.Create(t.Context(), apikeys.Actor{
		Person:  apikeys.Person{ID: o.owner.ID, Name: o.owner.Name},
		Subject: authz.Subject{Kind: authz.Member, OrganisationID: o.ID, Grants: authz.MemberGrants("owner", false)},
	}, apikeys.NewKey{Name: name, Scopes: scopes}, audit.Request{Method: "POST", Path: "/", ID: "request-0001"})
	require.NoError(t, err)
	return key
}

// logOf is the whole log of an organisation, newest first.
func (w *world) logOf(t *testing.T, o *organisation) []audit.Entry {
	t.Helper()
	entries, err := w.log.List(t.Context(), o.ID, audit.Page{Limit: 100_000})
	require.NoError(t, err)
	return entries
}

var entryLink = regexp.MustCompile(`href="([^"]*[?&;]entry=(\d+)[^"]*)#entry"`)

// listed are the numbers of the entries on a page of the log, none of which is open.
func (p page) listed(t *testing.T) []int64 {
	t.Helper()
	ids := []int64{}
	for _, link := range entryLink.FindAllStringSubmatch(p.body, -1) {
		id, err := strconv.ParseInt(link[2], 10, 64)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return ids
}

// link is the address behind the words of a page, or "".
func (p page) link(words string) string {
	found := regexp.MustCompile(`<a [^>]*href="([^"]*)"[^>]*>` + regexp.QuoteMeta(words)).FindStringSubmatch(p.body)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

// Owners and admins read the log, its file and the organisation; owners change the reporting mode. Another organisation is unknown.
func TestMembersSeeNeitherLogNorOrganisation(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, other := w.organisation("acme"), w.organisation("other")
	const read, mode = "read", "reporting mode"
	ok, redirect, forbidden, notFound := http.StatusOK, http.StatusSeeOther, http.StatusForbidden, http.StatusNotFound
	changes := 0
	for name, c := range map[string]struct {
		b    *browser
		want map[string]int
	}{
		"owner":                  {w.signedIn(t, acme.owner), map[string]int{read: ok, mode: ok, "change": redirect}},
		"admin with two-step":    {w.signedIn(t, acme.admin), map[string]int{read: ok, mode: forbidden, "change": forbidden}},
		"admin without two-step": {w.signedIn(t, acme.adminPlain), map[string]int{read: ok, mode: forbidden, "change": forbidden}},
		"member":                 {w.signedIn(t, acme.member), map[string]int{read: forbidden, mode: forbidden, "change": forbidden}},
		"other organisation":     {w.signedIn(t, other.owner), map[string]int{read: notFound, mode: notFound, "change": notFound}},
		"signed out":             {w.browser(t), map[string]int{read: redirect, mode: redirect, "change": redirect}},
	} {
		statuses := []string{}
		for screen, permission := range map[string]string{
			"/settings/audit-log": read, "/settings/audit-log.csv": read, "/settings/organisation": read, "/settings/organisation/reporting-mode": mode,
		} {
			p := c.b.get(acme.at("%s", screen))
			statuses = append(statuses, fmt.Sprintf("%s %d", screen, p.StatusCode))
			require.Equal(t, c.want[permission], p.StatusCode, "%s: %s", name, screen)
			if name == "signed out" {
				require.True(t, strings.HasPrefix(p.Header.Get("Location"), "/sign-in?next="), "%s: %s", name, screen)
			}
			if p.StatusCode != ok {
				require.NotContains(t, p.body, acme.owner.Email, "%s: %s", name, screen)
			}
		}
		p := c.b.post(acme.at("/settings/organisation/reporting-mode"), toNominative(acme))
		statuses = append(statuses, fmt.Sprintf("change %d", p.StatusCode))
		require.Equal(t, c.want["change"], p.StatusCode, name)
		entries := 0
		if name == "owner" {
			entries = 1
			require.Equal(t, redirect, c.b.post(acme.at("/settings/organisation/reporting-mode"), url.Values{"mode": {"pseudonymous"}}).StatusCode)
		}
		log := slices.DeleteFunc(w.logOf(t, acme), func(e audit.Entry) bool { return e.Action == audit.LogExported })
		require.Len(t, log, changes+2*entries, "%s: what was refused changed nothing", name)
		changes += 2 * entries
		if screen := c.b.get(acme.at("/settings/organisation")); c.want[read] == ok {
			require.Equal(t, c.want[mode] == ok, strings.Contains(screen.body, "Change reporting mode"), "%s: what is offered", name)
			require.Equal(t, c.want[mode] != ok, strings.Contains(screen.body, "Only an owner can change this."), name)
		}
		slices.Sort(statuses)
		t.Logf("%-24s %s", name, strings.Join(statuses, "  "))
	}
}
