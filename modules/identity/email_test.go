package identity_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/testkit"
)

// The upgrade rewrites the keys of earlier versions. Doctor names e-mails that no form takes, and two
// that have become one.
func TestStoredEmailsAreRewrittenOrNamed(t *testing.T) {
	b := setup(t)
	for _, email := range []string{
		"ann@bücher.example", "bob@example.org ", "cy@faß.example", "cy@xn--fa-hia.example",
		"jürgen@example.org",
	} {
		b.Person(testkit.Person{Email: email, Name: email}) // with the key of version 1.0.0
	}
	for range 2 {
		require.NoError(t, identity.RewriteEmailKeys(b.ctx(), b.Owner))
	}
	for _, sent := range []string{"ann@xn--bcher-kva.example", "bob@example.org"} {
		_, err := b.people.SignIn(b.ctx(), sent, password, "")
		require.NoError(t, err, sent)
	}
	warnings, err := identity.CheckEmails(b.ctx(), b.DB)
	require.NoError(t, err)
	require.Len(t, warnings, 2)
	both := warnings[0] + warnings[1]
	require.Regexp(t, `another account has the e-mail "cy@(faß|xn--fa-hia)\.example"`, both)
	require.Contains(t, both, `no sign-in form takes the e-mail "jürgen@example.org"`)
}
