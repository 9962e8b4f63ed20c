package apptest

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/demo"
	"dg/platform/testkit"
)

// SignedIn returns a browser in which a person of the demo is signed in.
func SignedIn(t *testing.T, base string, a demo.Account) *testkit.Browser {
	return testkit.NewBrowser(t, base).SignIn(a.Email, a.Password, a.TOTPSecret)
}

// ResetLink finds the link that dg account reset prints.
var ResetLink = regexp.MustCompile(`(http://\S+)(/account/reset\?token=([A-Za-z0-9_-]{43}))`)

// DemoAccount returns the person of the demo with the e-mail.
func DemoAccount(t *testing.T, email string) demo.Account {
	at := slices.IndexFunc(demo.Accounts, func(a demo.Account) bool { return a.Email == email })
	require.GreaterOrEqual(t, at, 0, "the demo has no %s", email)
	return demo.Accounts[at]
}
