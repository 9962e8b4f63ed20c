package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dg/modules/apikeys"
	"dg/web/internal/webtest"
)

// roleAction is an action, whether a screen offers it, and the wanted status and offer of each reader
// of TestEveryRoleAndAction.
type roleAction struct {
	name  string
	do    func(*webtest.Browser) webtest.Page
	offer func(*webtest.Browser) bool
	want  [6]string
}

func roleActions(t *testing.T, w *webtest.World, acme *webtest.Organisation) []roleAction {
	t.Helper()
	at := acme.At
	fork := w.Fork(acme).ID
	get := func(path string) func(*webtest.Browser) webtest.Page {
		return func(b *webtest.Browser) webtest.Page { return b.Get(path) }
	}
	post := func(path string, form url.Values) func(*webtest.Browser) webtest.Page {
		return func(b *webtest.Browser) webtest.Page { return b.Post(path, form) }
	}
	link := func(screen, to string) func(*webtest.Browser) bool {
		return func(b *webtest.Browser) bool { return strings.Contains(b.Get(screen).Body, to) }
	}
	of := func(below string) func() string {
		return func() string {
			return at("/settings/api-keys/%s", w.NewKey(t, acme, "BI", apikeys.ForksRead).ID) +
				below
		}
	}
	revocation := of("/revoke")
	replacement := of("/replace")
	renaming := of("/rename")
	keyPage := func(below string) func(*webtest.Browser) bool {
		return func(b *webtest.Browser) bool {
			path := of("")()
			return link(path, path+below)(b)
		}
	}
	today := time.Now().UTC().Format(time.DateOnly)
	keys := at("/settings/api-keys")
	log := at("/settings/audit-log")
	organisation := at("/settings/organisation")
	report := at("/reports/%s", fork)
	read := [6]string{"200 offered", "200 offered", "200 offered", "403 –", "404 –", "303 –"}
	return []roleAction{
		{"list keys", get(keys), link("/account", keys), read},
		{"create a key", func(b *webtest.Browser) webtest.Page {
			return b.Post(keys+"/new", webtest.GoodForm())
		}, link(keys, keys+"/new"),
			[6]string{"200 offered", "200 offered", "403 –", "403 –", "404 –", "303 –"}},
		{"see a key", func(b *webtest.Browser) webtest.Page {
			return b.Get(of("")())
		}, func(b *webtest.Browser) bool {
			path := of("")()
			return link(keys, path)(b)
		}, read},
		{"replace a key", func(b *webtest.Browser) webtest.Page {
			return b.Post(replacement(), webtest.Replacement("week"))
		}, keyPage("/replace"),
			[6]string{"200 offered", "200 offered", "403 –", "403 –", "404 –", "303 –"}},
		{"rename a key", func(b *webtest.Browser) webtest.Page {
			return b.Post(renaming(), url.Values{"name": {"Renamed"}})
		}, keyPage("/rename"),
			[6]string{"303 offered", "303 offered", "403 –", "403 –", "404 –", "303 –"}},
		{"revoke a key", func(b *webtest.Browser) webtest.Page {
			return b.Post(revocation(), url.Values{})
		}, func(b *webtest.Browser) bool { return link(keys, revocation())(b) },
			[6]string{"303 offered", "303 offered", "303 offered", "403 –", "404 –", "303 –"}},
		{"read the audit log", get(log), link(keys, log), read},
		{"download the audit log", get(log + ".csv"), link(log, log+".csv"), read},
		{"change the reporting mode",
			post(organisation+"/reporting-mode", webtest.ToNominative(acme)),
			link(organisation, organisation+"/reporting-mode"),
			[6]string{"303 offered", "403 –", "403 –", "403 –", "404 –", "303 –"}},
		{"read reports", get(at("/reports")), link("/account", at("/reports")), read},
		{"read a fork's report", get(report), link(at("/reports"), report), read},
		{
			"download plays", get(report + "/plays.csv?from=" + today + "&to=" + today),
			link(report, "/plays.csv"), read,
		},
	}
}

// Each role is answered each action with its status, and is offered what it may do.
func TestEveryRoleAndAction(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	other := w.Organisation("other")
	readers := []struct {
		name    string
		browser func() *webtest.Browser
	}{
		{"owner", func() *webtest.Browser { return w.SignedIn(t, acme.Owner) }},
		{"admin with two-step", func() *webtest.Browser { return w.SignedIn(t, acme.Admin) }},
		{"admin without", func() *webtest.Browser { return w.SignedIn(t, acme.AdminPlain) }},
		{"member", func() *webtest.Browser { return w.SignedIn(t, acme.Member) }},
		{"other organisation", func() *webtest.Browser { return w.SignedIn(t, other.Owner) }},
		{"signed out", func() *webtest.Browser { return w.Browser(t) }},
	}
	for _, a := range roleActions(t, w, acme) {
		for i, r := range readers {
			b := r.browser()
			offer := "–"
			if a.offer(b) {
				offer = "offered"
			}
			p := a.do(b)
			got := fmt.Sprintf("%d %s", p.StatusCode, offer)
			assert.Equal(t, a.want[i], got, "%s, %s", a.name, r.name)
			if r.name == "signed out" {
				assert.True(t, strings.HasPrefix(p.Header.Get("Location"), "/sign-in"), a.name)
			}
		}
	}
}

func TestRevokedRoleTakesEffectOnTheNextRequest(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	list := acme.At("/settings/api-keys")
	create := acme.At("/settings/api-keys/new")
	admin := w.SignedIn(t, acme.Admin)
	admin.Get(create).Is(t, 200)
	w.DB.Exec(`update memberships set role = 'member' where user_id = $1`, acme.Admin.ID)
	admin.Get(create).Is(t, 403)
	admin.Get(list).Is(t, 403)
	w.DB.Exec(`update memberships set role = 'admin' where user_id = $1`, acme.Admin.ID)
	admin.Get(create).Is(t, 200)
	w.DB.Exec(`update users set totp_secret = null where id = $1`, acme.Admin.ID)
	admin.Get(create).Is(t, 303) // a change of two-step verification ends the session
	acme.Admin.TOTPSecret = ""
	admin = w.SignedIn(t, acme.Admin)
	admin.Get(create).Is(t, 403)
	admin.Get(list).Is(t, 200)
	w.DB.Exec(`delete from memberships where user_id = $1`, acme.Admin.ID)
	admin.Get(list).Is(t, 404)
	w.DB.Exec(`update organisations set plan = 'team' where id = $1`, acme.ID)
	owner := w.SignedIn(t, acme.Owner)
	owner.Get(create).Is(t, 403)
	owner.Get(list).Is(t, 200)
}
