package web_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
)

// The confirmation has the key's name, its last use and the effect, and works without script. Revoking again changes nothing.
func TestKeyIsRevokedAfterConfirmation(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Minute)
	w := startAt(t, &now)
	acme := w.organisation("acme")
	key := w.newKey(t, acme, "Warehouse, nightly export", apikeys.ReportsRead)
	used := w.newKey(t, acme, "BI", apikeys.ReportsRead)
	w.setKey(t, used, now.Add(-time.Hour), now.Add(-time.Minute), nil, nil)
	b := w.signedIn(t, acme.adminPlain)
	path := acme.at("/settings/api-keys/%s/revoke", key.ID)
	ask := b.get(path)
	require.Equal(t, http.StatusOK, ask.StatusCode)
	require.Contains(t, ask.body, "<h1>Revoke <bdi>Warehouse, nightly export</bdi>?</h1>")
	require.Contains(t, ask.body, "Every tool that uses this key loses access immediately. This cannot be undone.")
	require.Contains(t, ask.body, "<dt>Last used</dt><dd>Never</dd>")
	require.Contains(t, ask.body, "dg_live_"+key.ID+"_…")
	require.Contains(t, ask.body, `href="`+acme.at("/settings/api-keys")+`" autofocus>Cancel</a>`)
	require.Contains(t, b.get(acme.at("/settings/api-keys/%s/revoke", used.ID)).body, `<dt>Last used</dt><dd><time datetime="`+now.Add(-time.Minute).Format("2006-01-02T15:04:05.000Z"))
	require.Len(t, w.logOf(t, acme), 2, "asking changes nothing")

	done := b.post(path, url.Values{})
	require.Equal(t, http.StatusSeeOther, done.StatusCode)
	now = time.Now() // the database's clock stamps revocations
	list := b.get(done.Header.Get("Location"))
	require.Equal(t, "Warehouse, nightly export has been revoked. Requests with this key are now rejected.", trimmed(list.notes(t)[0]))
	require.Contains(t, list.body, `<div class="note" role="status">`)
	require.Contains(t, list.row(t, key.Name), "Revoked since")
	entries := w.logOf(t, acme)
	require.Equal(t, audit.KeyRevoked, entries[0].Action)
	require.Equal(t, acme.adminPlain.ID, entries[0].Actor.ID)
	require.Equal(t, path, entries[0].Request.Path)

	before := w.allKeys(t, acme)
	for _, send := range []func() page{func() page { return b.get(path) }, func() page { return b.post(path, url.Values{}) }} {
		again := send()
		require.Equal(t, http.StatusSeeOther, again.StatusCode)
		said := b.get(again.Header.Get("Location"))
		require.Equal(t, http.StatusOK, said.StatusCode)
		require.Contains(t, said.notes(t)[0], "Warehouse, nightly export was already revoked on ")
		require.Contains(t, said.notes(t)[0], "Nothing was changed.")
	}
	require.Equal(t, before, w.allKeys(t, acme))
	require.Len(t, w.logOf(t, acme), 3)
}

// trimmed is a notice without its kind.
func trimmed(note string) string {
	if len(note) > 2 && note[0] == ':' {
		return note[2:]
	}
	return note
}
