package keys_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// The confirmation has the key's name, its last use and the effect, and works without script.
// Revoking again changes nothing.
func TestKeyIsRevokedAfterConfirmation(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Minute)
	w, acme := webtest.StartAt(t, &now)
	key := w.NewKey(t, acme, "Warehouse, nightly export", apikeys.ReportsRead)
	used := w.NewKey(t, acme, "BI", apikeys.ReportsRead)
	setKey(t, w, used, now.Add(-time.Hour), now.Add(-time.Minute), nil, nil)
	b := w.SignedIn(t, acme.AdminPlain)
	path := acme.At("/settings/api-keys/%s/revoke", key.ID)
	b.Get(path).Is(t, 200).Has(t,
		"<h1>Revoke <bdi>Warehouse, nightly export</bdi>?</h1>",
		"Every tool that uses this key loses access immediately and for good.",
		"<dt>Last used</dt><dd>Never</dd>", "dg_live_"+key.ID+"_…",
		`href="`+acme.At("/settings/api-keys")+`" autofocus>Cancel</a>`)
	b.Get(acme.At("/settings/api-keys/%s/revoke", used.ID)).Has(t,
		`<dt>Last used</dt><dd><time datetime="`+now.Add(-time.Minute).Format("2006-01-02T15:04:05.000Z"))
	require.Len(t, w.LogOf(t, acme), 2, "asking changes nothing")

	done := b.Post(path, url.Values{}).Is(t, 303)
	now = time.Now() // the database's clock stamps revocations
	require.Contains(t, row(t, b.Get(done.Header.Get("Location")), key.Name), "Revoked Since")

	before := w.AllKeys(t, acme)
	testkit.RequireRedirect(t, acme.At("/settings/api-keys/%s", key.ID), b.Get(path))
	b.Post(path, url.Values{}).Is(t, 303)
	require.Equal(t, before, w.AllKeys(t, acme))
	require.Len(t, w.LogOf(t, acme), 3)
}
