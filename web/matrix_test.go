package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
)

// roleAction is what somebody may try, whether a screen offers it, and what becomes of each reader: status and offer.
type roleAction struct {
	name  string
	do    func(*browser) page
	offer func(*browser) bool
	want  [6]string
}

func (w *world) roleActions(t *testing.T, acme *organisation) []roleAction {
	t.Helper()
	at, fork := acme.at, w.fork(acme).ID
	get := func(path string) func(*browser) page { return func(b *browser) page { return b.get(path) } }
	post := func(path string, form url.Values) func(*browser) page {
		return func(b *browser) page { return b.post(path, form) }
	}
	link := func(screen, to string) func(*browser) bool {
		return func(b *browser) bool { return strings.Contains(b.get(screen).body, to) }
	}
	of := func(below string) func() string {
		return func() string {
			return at("/settings/api-keys/%s", w.newKey(t, acme, "BI", apikeys.ForksRead).ID) + below
		}
	}
	revocation, replacement, renaming := of("/revoke"), of("/replace"), of("/rename")
	keyPage := func(below string) func(*browser) bool {
		return func(b *browser) bool {
			path := of("")()
			return link(path, path+below)(b)
		}
	}
	today := time.Now().UTC().Format(time.DateOnly)
	keys, log, organisation, report := at("/settings/api-keys"), at("/settings/audit-log"), at("/settings/organisation"), at("/reports/%s", fork)
	read := [6]string{"200 offered", "200 offered", "200 offered", "403 –", "404 –", "303 –"}
	return []roleAction{
		{"list keys", get(keys), link("/account", keys), read},
		{"create a key", func(b *browser) page { return b.post(keys+"/new", goodForm()) }, link(keys, keys+"/new"),
			[6]string{"200 offered", "200 offered", "403 –", "403 –", "404 –", "303 –"}},
		{"see a key", func(b *browser) page { return b.get(of("")()) }, func(b *browser) bool { path := of("")(); return link(keys, path)(b) }, read},
		{"replace a key", func(b *browser) page {
			return b.post(replacement(), url.Values{"overlap": {"week"}, "idempotencyKey": {newIdempotencyKey()}})
		}, keyPage("/replace"), [6]string{"200 offered", "200 offered", "403 –", "403 –", "404 –", "303 –"}},
		{"rename a key", func(b *browser) page { return b.post(renaming(), url.Values{"name": {"Renamed"}}) }, keyPage("/rename"),
			[6]string{"303 offered", "303 offered", "403 –", "403 –", "404 –", "303 –"}},
		{"revoke a key", func(b *browser) page { return b.post(revocation(), url.Values{}) }, func(b *browser) bool { return link(keys, revocation())(b) },
			[6]string{"303 offered", "303 offered", "303 offered", "403 –", "404 –", "303 –"}},
		{"read the audit log", get(log), link(keys, log), read},
		{"download the audit log", get(log + ".csv"), link(log, log+".csv"), read},
		{"change the reporting mode", post(organisation+"/reporting-mode", toNominative(acme)), link(organisation, organisation+"/reporting-mode"),
			[6]string{"303 offered", "403 –", "403 –", "403 –", "404 –", "303 –"}},
		{"read reports", get(at("/reports")), link("/account", at("/reports")), read},
		{"read a fork's report", get(report), link(at("/reports"), report), read},
		{"download plays", get(report + "/plays.csv?from=" + today + "&to=" + today), link(report, "/plays.csv"), read},
	}
}

// Every role and every action: the status, and whether a screen that the person can open offers it. -v prints the table.
func TestEveryRoleAndAction(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, other := w.organisation("acme"), w.organisation("other")
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
	var table strings.Builder
	for _, a := range w.roleActions(t, acme) {
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
			assert.Equal(t, a.want[i], got, "%s, %s", a.name, r.name)
			if r.name == "signed out" {
				assert.True(t, strings.HasPrefix(p.Header.Get("Location"), "/sign-in"), a.name)
			}
		}
	}
	t.Logf("status and offer of owner, admins with and without two-step, member, other organisation, signed out:%s", table.String())
}

func TestRevokedRoleTakesEffectOnTheNextRequest(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	list, create := acme.at("/settings/api-keys"), acme.at("/settings/api-keys/new")
	admin := w.signedIn(t, acme.admin)
	require.Equal(t, http.StatusOK, admin.get(create).StatusCode)
	w.db.Exec(`update memberships set role = 'member' where user_id = $1`, acme.admin.ID)
	require.Equal(t, http.StatusForbidden, admin.get(create).StatusCode)
	require.Equal(t, http.StatusForbidden, admin.get(list).StatusCode)
	w.db.Exec(`update memberships set role = 'admin' where user_id = $1`, acme.admin.ID)
	require.Equal(t, http.StatusOK, admin.get(create).StatusCode)
	w.db.Exec(`update users set totp_secret = null where id = $1`, acme.admin.ID)
	require.Equal(t, http.StatusSeeOther, admin.get(create).StatusCode, "a change of the second step ends the session")
	acme.admin.TOTPSecret = ""
	admin = w.signedIn(t, acme.admin)
	require.Equal(t, http.StatusForbidden, admin.get(create).StatusCode)
	require.Equal(t, http.StatusOK, admin.get(list).StatusCode)
	w.db.Exec(`delete from memberships where user_id = $1`, acme.admin.ID)
	require.Equal(t, http.StatusNotFound, admin.get(list).StatusCode)
	w.db.Exec(`update organisations set plan = 'team' where id = $1`, acme.ID)
	owner := w.signedIn(t, acme.owner)
	require.Equal(t, http.StatusForbidden, owner.get(create).StatusCode)
	require.Equal(t, http.StatusOK, owner.get(list).StatusCode)
}
