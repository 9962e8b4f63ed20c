package apptest

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/demo"
	"dg/platform/testkit"
)

func SignedIn(t *testing.T, base string, a demo.Account) *testkit.Browser {
	return testkit.NewBrowser(t, base).SignIn(a.Email, a.Password, a.TOTPSecret)
}

var ResetLink = regexp.MustCompile(`(http://\S+)(/account/reset\?token=([A-Za-z0-9_-]{43}))`)

func DemoAccount(t *testing.T, email string) demo.Account {
	at := slices.IndexFunc(demo.Accounts, func(a demo.Account) bool { return a.Email == email })
	require.GreaterOrEqual(t, at, 0, "the demo has no %s", email)
	return demo.Accounts[at]
}
