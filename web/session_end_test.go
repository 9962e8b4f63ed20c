package web_test

import (
	"maps"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// A form that is sent after its session has ended changes nothing and leads back to itself through
// the sign-in. Nothing that was sent is kept.
func TestFormLeadsBackAfterTheSessionEnded(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	b := w.SignedIn(t, acme.Owner)
	path := acme.At("/settings/api-keys/new")
	w.DB.Exec(`delete from sessions`)
	signIn := "/sign-in?next=" + url.QueryEscape(path)
	cookies := maps.Clone(b.Cookies)
	testkit.RequireRedirect(t, signIn, b.Post(path, url.Values{"name": {"Confidential"}}))
	require.Equal(t, cookies, b.Cookies)
	b.Get(signIn).Has(t, "Your session has ended.")
	w.Browser(t).Get(signIn).Lacks(t, "has ended")
	begun := b.Post(signIn, webtest.Credentials(acme.Owner)).Header.Get("Location")
	testkit.RequireRedirect(t, path, b.Get(begun))
	b.Get(path).Is(t, 200).Lacks(t, "Confidential")
	require.Empty(t, w.AllKeys(t, acme))
}
