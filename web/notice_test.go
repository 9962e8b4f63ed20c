package web_test

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

const confirmation = `<div class="note" role="status">`

// A change is confirmed by the next page, once. The sign-in confirms the sign-out.
func TestChangeIsConfirmedOnce(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	key := w.NewKey(t, acme, "BI & co", apikeys.ReportsRead)
	next := b.Post(acme.At("/settings/api-keys/%s/revoke", key.ID), nil).Is(t, 303).
		Header.Get("Location")
	require.Equal(t, "BI & co has been revoked. Requests with this key are now refused.",
		webtest.Notes(t, b.Get(next).Has(t, confirmation))[0])
	b.Get(next).Lacks(t, confirmation)
	b.Get(b.Post("/sign-out", nil).Header.Get("Location")).Has(t,
		confirmation+"<div><strong>You have signed out.</strong>")
}

// A cookie that is no notice is ignored. The text of a notice is escaped, and has no link.
func TestNoticeOfElsewhereIsNotShown(t *testing.T) {
	t.Parallel()
	_, _, b := webtest.StartAsOwner(t)
	get := func(notice string) testkit.Page {
		b.Cookies["__Host-dg-notice"] = base64.RawURLEncoding.EncodeToString([]byte(notice))
		return b.Get("/account").Is(t, 200)
	}
	for _, text := range []string{"x", "null", `{"Strong":5}`, `{"Strong":"S`} {
		get(text).Lacks(t, confirmation)
	}
	get(`{"Strong":"<b>","Kind":"bad","Action":"Go","ActionPath":"//evil.example"}`).Has(t, confirmation+"<div><strong>&lt;b&gt;</strong></div></div>").
		Lacks(t, "evil.example")
}
