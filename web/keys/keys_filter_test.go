package keys_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
	"dg/web/internal/webtest"
)

// A search, a filter and an order select keys, and stay in the form. An unknown value selects all.
func TestKeysAreSearchedFilteredAndSorted(t *testing.T) {
	t.Parallel()
	now := noon
	w, acme := webtest.StartAt(t, &now)
	day := 24 * time.Hour
	add := func(name string, used, expires any) apikeys.Key {
		k := w.NewKey(t, acme, name, apikeys.ForksRead)
		setKey(t, w, k, now.Add(-100*day), used, expires, nil)
		return k
	}
	add("Warehouse", now.Add(-time.Hour), now.Add(300*day))
	add("bi", now.Add(-31*day), nil)
	soon := add("LMS", now.Add(-day), now.Add(2*day))
	add("Old", nil, now.Add(-day))
	b := w.SignedIn(t, acme.Owner)
	list := func(query string) string {
		p := b.Get(acme.At("/settings/api-keys?%s", query)).Is(t, 200)
		names := ""
		for _, name := range testkit.Cells(`data-name>([^<]+)<`, p.Body) {
			names += name[0] + " "
		}
		return names
	}
	for query, want := range map[string]string{
		"q=WARE": "Warehouse ", "q=" + soon.ID: "LMS ", "q=none": "", "show=unused": "bi ",
		"show=expiring": "LMS ", "show=expired": "Old ", "sort=name": "bi LMS Warehouse Old ",
		"sort=used": "Warehouse LMS bi Old ", "sort=expiry": "LMS Warehouse bi Old ",
		"show=unused&q=ware": "",
	} {
		require.Equal(t, want, list(query), query)
	}
	require.Empty(t, list("show=%00&sort=x&q=%ff"), "no name has that character")
	require.Len(t, list("show=x&sort=x"), len("Warehouse bi LMS Old "))
	b.Get(acme.At("/settings/api-keys?q=none")).
		Has(t, "No key matches.", `value="none"`, `href="`+acme.At("/settings/api-keys")+`">Clear`)
	b.Get(acme.At("/settings/api-keys?show=expired")).Has(t, "<details open>", `"expired" selected`)
	b.Get(acme.At("/settings/api-keys")).Lacks(t, `role="search"`)
}

// On a phone a key has two lines. Where two have one name, a third has the id.
func TestKeysHaveTwoLinesOnPhones(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	for _, name := range []string{"BI", "LMS", "BI"} {
		w.NewKey(t, acme, name, apikeys.ForksRead)
	}
	p := browsertest.New(t)
	webtest.SignInWith(p, w, acme.Owner, acme.At("/settings/api-keys"))
	p.Emulate(360, browsertest.Light)
	require.Equal(t, 2, p.Count("tbody th small"))
	require.Less(t, browsertest.Eval[float64](p,
		`document.querySelector('tbody tr:nth-child(2)').offsetHeight`), 80.0)
	webtest.RequireAccessible(t, p, "keys")
}

// A key's page leads to the key before and after it, and has its own refusals and exports with the
// network, and links to them in the log. The form that replaces it leads to its revocation.
func TestKeyPageHasItsHistory(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	old := w.NewKey(t, acme, "BI", apikeys.ForksRead)
	other := w.NewKey(t, acme, "Other", apikeys.ForksRead)
	at := func(k apikeys.Key) string { return acme.At("/settings/api-keys/%s", k.ID) }
	b.Get(at(old)).Has(t, "None in the audit log.")
	b.Get(at(old)+"/replace").Has(t, "Leaked? Stop it now.", `href="`+at(old)+`/revoke"`)
	for address, k := range map[string]apikeys.Key{"203.0.113.7": old, "198.51.100.9": other} {
		for _, action := range []audit.Action{audit.KeyRefused, audit.ExportStarted} {
			e := audit.Entry{
				Actor: audit.Actor{Kind: audit.Key, ID: k.ID, Name: k.Name}, Action: action,
				Request: audit.Request{Method: "GET", Path: "/api/v1/forks", Address: address},
			}
			if action == audit.KeyRefused {
				e.Reason = audit.WrongSecret
			}
			w.Append(t, acme, e)
		}
	}
	form := webtest.ReplacementForm("now")
	form.Set("name", "Successor")
	b.Post(at(old)+"/replace", form).Is(t, 200)
	successor := w.AllKeys(t, acme)[0]
	p := b.Get(at(old)).Has(t, `<dt>Replaced by</dt><dd><a href="`+at(successor)+`"><bdi>Successor`,
		"203.0.113.7", "Request refused", "Export started", "wrong secret").Lacks(t, "198.51.100.9")
	for _, action := range []string{"api_key.refused", "export.started"} {
		link := acme.At("/settings/audit-log?key=%s&amp;action=%s", old.ID, action)
		p.Has(t, `href="`+link+`"`)
	}
	b.Get(at(successor)).Has(t, `<dt>Replaces</dt><dd><a href="`+at(old)+`"><bdi>BI`)
	b.Get(acme.At("/settings/audit-log?action=api_key.revoked&key=%s", old.ID)).Lacks(t, "No matching entries")
}
