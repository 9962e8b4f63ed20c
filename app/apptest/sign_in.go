package apptest

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/demo"
	"dg/platform/testkit"
)

// SignedIn returns a browser in which a person of the demo is signed in.
func SignedIn(t *testing.T, base string, a demo.Account) *testkit.Browser {
	code := ""
	if a.TOTPSecret != "" {
		code = CodeOf(t, a.TOTPSecret)
	}
	return testkit.NewBrowser(t, base).SignIn(a.Email, a.Password, code)
}

// SessionOf signs a person of the test in and returns the session's cookie.
func SessionOf(t *testing.T, base, email string) string {
	return "__Host-dg=" + testkit.NewBrowser(t, base).SignIn(email, testkit.Password, "").Session()
}

// OfferedSecret finds the new secret on the page that sets up two-step verification.
const OfferedSecret = `<code id="totp">([A-Z2-7 ]+)</code>`

// ResetLink finds the link that dg account reset prints.
var ResetLink = regexp.MustCompile(`(http://\S+)(/account/reset\?token=([A-Za-z0-9_-]{43}))`)

// DemoAccount returns the person of the demo with the e-mail.
func DemoAccount(t *testing.T, email string) demo.Account {
	at := slices.IndexFunc(demo.Accounts, func(a demo.Account) bool { return a.Email == email })
	require.GreaterOrEqual(t, at, 0, "the demo has no %s", email)
	return demo.Accounts[at]
}

// CodeOf returns the current code of a two-step secret.
func CodeOf(t *testing.T, secret string) string {
	return testkit.CodeOf(t, secret, time.Now())
}
