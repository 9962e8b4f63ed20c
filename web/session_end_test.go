package web_test

import (
	"maps"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

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
	webtest.RequireRedirect(t, signIn, b.Post(path, url.Values{"name": {"Confidential"}}))
	require.Equal(t, cookies, b.Cookies)
	b.Get(signIn).Has(t, "Your session has ended.")
	begun := b.Post(signIn, webtest.Credentials(acme.Owner)).Header.Get("Location")
	webtest.RequireRedirect(t, path, b.Get(begun))
	b.Get(path).Is(t, 200).Lacks(t, "Confidential")
	require.Empty(t, w.AllKeys(t, acme))
}

// The sign-in says that a session has ended, but not at the first visit or after a sign-out.
func TestSignInSaysThatTheSessionEnded(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	const ended = "Your session has ended.</strong> Sign in to continue.</div>"
	w.Browser(t).Get("/sign-in").Lacks(t, "has ended")
	b := w.SignedIn(t, acme.Owner)
	w.DB.Exec(`delete from sessions`)
	b.Get(b.Get(acme.At("/reports?from=2026-01-01")).Header.Get("Location")).Has(t, ended)
	due := w.Browser(t)
	due.Post("/sign-in", webtest.Credentials(acme.Admin))
	require.NotContains(t, due.Get("/sign-in").Body, "has ended", "the code is due")
	b.Post("/sign-in", webtest.Credentials(acme.Owner))
	b.Post("/sign-out", url.Values{})
	b.Get("/sign-in").Lacks(t, "has ended")
	require.Empty(t, b.Cookies)
}
