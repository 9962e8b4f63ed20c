package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/authz"
)

// Every role and every action: the status, and whether a screen that the person can open offers it. -v prints the table.
func TestEveryRoleAndAction(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, other := newOrganisation("acme"), newOrganisation("other")
	fork := acme.withFork()
	w.load(t, acme, other)
	key := func(o *organisation) string {
		k, _, err := w.keys.Create(t.Context(), apikeys.Actor{
			Person:  apikeys.Person{ID: o.owner.id, Name: o.owner.name},
			Subject: authz.Subject{Kind: authz.Member, OrganisationID: o.id, Grants: authz.MemberGrants("owner", false)},
		}, apikeys.NewKey{Name: "BI", Scopes: []apikeys.Scope{apikeys.ForksRead}}, audit.Request{})
		require.NoError(t, err)
		return k.ID
	}
	readers := []struct {
		name    string
		browser func() *browser
	}{
		{"owner", func() *browser { return w.signedIn(t, acme.owner) }},
		{"admin with two-step", func() *browser { return w.signedIn(t, acme.admin) }},
		{"admin without", func() *browser { return w.signedIn(t, acme.adminPlain) }},
		{"member", func() *browser { return w.signedIn(t, acme.member) }},
		{"other organisation", func() *browser { return w.signedIn(t, other.owner) }},
		{"signed out", func() *browser { return w.browser(t) }},
	}
	actions := []struct {
		name  string
		do    func(*browser) page
		offer func(*browser) bool
		want  [6]string // a line a reader: status and offer
	}{
		{"list keys", func(b *browser) page { return b.get(acme.at("/settings/api-keys")) },
			func(b *browser) bool { return strings.Contains(b.get("/account").body, acme.at("/settings/api-keys")) },
			[6]string{"200 offered", "200 offered", "200 offered", "403 –", "404 –", "303 –"}},
		{"create a key", func(b *browser) page {
			return b.post(acme.at("/settings/api-keys/new"), url.Values{"name": {"Warehouse"}, "scopes": {"forks:read"}, "expiry": {"90"}, "idempotencyKey": {newIdempotencyKey()}})
		}, func(b *browser) bool {
			return strings.Contains(b.get(acme.at("/settings/api-keys")).body, acme.at("/settings/api-keys/new"))
		},
			[6]string{"200 offered", "200 offered", "403 –", "403 –", "404 –", "303 –"}},
		{"revoke a key", func(b *browser) page {
			return b.post(acme.at("/settings/api-keys/%s/revoke", key(acme)), url.Values{})
		}, func(b *browser) bool {
			offer := acme.at("/settings/api-keys/%s/revoke", key(acme))
			return strings.Contains(b.get(acme.at("/settings/api-keys")).body, offer)
		}, [6]string{"303 offered", "303 offered", "303 offered", "403 –", "404 –", "303 –"}},
		{"read the audit log", func(b *browser) page { return b.get(acme.at("/settings/audit-log")) },
			func(b *browser) bool {
				return strings.Contains(b.get(acme.at("/settings/api-keys")).body, acme.at("/settings/audit-log"))
			},
			[6]string{"200 offered", "200 offered", "200 offered", "403 –", "404 –", "303 –"}},
		{"download the audit log", func(b *browser) page { return b.get(acme.at("/settings/audit-log.csv")) },
			func(b *browser) bool {
				return strings.Contains(b.get(acme.at("/settings/audit-log")).body, acme.at("/settings/audit-log.csv"))
			},
			[6]string{"200 offered", "200 offered", "200 offered", "403 –", "404 –", "303 –"}},
		{"change the reporting mode", func(b *browser) page {
			return b.post(acme.at("/settings/organisation/reporting-mode"), url.Values{"mode": {"nominative"}})
		}, func(b *browser) bool {
			return strings.Contains(b.get(acme.at("/settings/organisation")).body, acme.at("/settings/organisation/reporting-mode"))
		}, [6]string{"303 offered", "403 –", "403 –", "403 –", "404 –", "303 –"}},
		{"read reports", func(b *browser) page { return b.get(acme.at("/reports")) },
			func(b *browser) bool { return strings.Contains(b.get("/account").body, acme.at("/reports")) },
			[6]string{"200 offered", "200 offered", "200 offered", "403 –", "404 –", "303 –"}},
		{"read a fork's report", func(b *browser) page { return b.get(acme.at("/reports/%s", fork)) },
			func(b *browser) bool {
				return strings.Contains(b.get(acme.at("/reports")).body, acme.at("/reports/%s", fork))
			},
			[6]string{"200 offered", "200 offered", "200 offered", "403 –", "404 –", "303 –"}},
		{"download plays", func(b *browser) page {
			today := time.Now().UTC().Format(time.DateOnly)
			return b.get(acme.at("/reports/%s/plays.csv?from=%s&to=%s", fork, today, today))
		}, func(b *browser) bool { return strings.Contains(b.get(acme.at("/reports/%s", fork)).body, "/plays.csv") },
			[6]string{"200 offered", "200 offered", "200 offered", "403 –", "404 –", "303 –"}},
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-26s", "")
	for _, r := range readers {
		fmt.Fprintf(&table, "%-21s", r.name)
	}
	for _, a := range actions {
		fmt.Fprintf(&table, "\n%-26s", a.name)
		for i, r := range readers {
			b := r.browser()
			offer := "–"
			if a.offer(b) {
				offer = "offered"
			}
			p := a.do(b)
			got := fmt.Sprintf("%d %s", p.StatusCode, offer)
			fmt.Fprintf(&table, "%-21s", got)
			if got != a.want[i] {
				t.Errorf("%s, %s: %s, not %s", a.name, r.name, got, a.want[i])
			}
			if r.name == "signed out" && !strings.HasPrefix(p.Header.Get("Location"), "/sign-in") {
				t.Errorf("%s, signed out: leads to %q", a.name, p.Header.Get("Location"))
			}
		}
	}
	t.Logf("status and offer:\n%s", table.String())
}

func TestRevokedRoleTakesEffectOnTheNextRequest(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := newOrganisation("acme")
	w.load(t, acme)
	list, create := acme.at("/settings/api-keys"), acme.at("/settings/api-keys/new")
	admin := w.signedIn(t, acme.admin)
	require.Equal(t, http.StatusOK, admin.get(create).StatusCode)
	w.exec(t, `update memberships set role = 'member' where user_id = $1`, acme.admin.id)
	require.Equal(t, http.StatusForbidden, admin.get(create).StatusCode)
	require.Equal(t, http.StatusForbidden, admin.get(list).StatusCode)
	w.exec(t, `update memberships set role = 'admin' where user_id = $1`, acme.admin.id)
	require.Equal(t, http.StatusOK, admin.get(create).StatusCode)
	w.exec(t, `update users set totp_secret = null where id = $1`, acme.admin.id)
	require.Equal(t, http.StatusSeeOther, admin.get(create).StatusCode, "a change of the second step ends the session")
	acme.admin.totpSecret = ""
	admin = w.signedIn(t, acme.admin)
	require.Equal(t, http.StatusForbidden, admin.get(create).StatusCode)
	require.Equal(t, http.StatusOK, admin.get(list).StatusCode)
	w.exec(t, `delete from memberships where user_id = $1`, acme.admin.id)
	require.Equal(t, http.StatusNotFound, admin.get(list).StatusCode)
	w.exec(t, `update organisations set plan = 'team' where id = $1`, acme.id)
	owner := w.signedIn(t, acme.owner)
	require.Equal(t, http.StatusForbidden, owner.get(create).StatusCode)
	require.Equal(t, http.StatusOK, owner.get(list).StatusCode)
}
