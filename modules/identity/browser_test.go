package identity_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// clientOf is a browser with the token, at the address.
func clientOf(browser, address string) identity.Client {
	return identity.Client{Address: address, Browser: browser}
}

// lock locks an account, from another address.
func (b *bundle) lock(email string) {
	b.t.Helper()
	for range 10 {
		_, err := b.people.SignIn(b.ctx(), email, wrongPassword, clientOf("", "203.0.113.9"))
		require.Equal(b.t, identity.ErrWrongPassword, err)
	}
}

// A browser is known for one person, for 180 days after its last sign-in, by a token that is stored
// as a hash.
func TestKnownBrowsersAreOutsideTheLock(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	bob := b.person("bob@example.com", "")
	ann := b.signIn("ann@example.com")
	token, err := b.people.RememberBrowser(b.ctx(), ann, "")
	require.NoError(t, err)
	require.Len(t, token, 43)
	hash := sha256.Sum256([]byte(token))
	require.Equal(t, hash[:], one[[]byte](b, `select token_hash from known_browsers`))
	same, err := b.other.RememberBrowser(b.ctx(), ann, token)
	require.NoError(t, err)
	require.Equal(t, token, same)
	for _, planted := range []string{token, "made up", ""} {
		other, err := b.people.RememberBrowser(b.ctx(), b.signIn("bob@example.com"), planted)
		require.NoError(t, err)
		require.NotEqual(t, planted, other, "a planted token is not this person's")
	}

	b.pass(180*24*time.Hour - time.Minute)
	b.lock("ann@example.com")
	_, err = b.people.SignIn(b.ctx(), "ann@example.com", password, clientOf("", "192.0.2.1"))
	require.True(t, apperr.Is(err, apperr.RateLimited))
	_, err = b.people.SignIn(b.ctx(), "ann@example.com", password, clientOf(token, "192.0.2.1"))
	require.NoError(t, err)
	b.pass(time.Minute)
	b.lock("ann@example.com")
	_, err = b.people.SignIn(b.ctx(), "ann@example.com", password, clientOf(token, "192.0.2.1"))
	require.True(t, apperr.Is(err, apperr.RateLimited), "known for 180 days")

	b.pass(time.Minute)
	for range 25 {
		_, err := b.people.RememberBrowser(b.ctx(), b.signIn("bob@example.com"), "")
		require.NoError(t, err)
	}
	require.Equal(t, 20, one[int](b, `select count(*) from known_browsers where user_id = $1`, bob))
	require.Zero(t, one[int](b, `select count(*) from known_browsers where user_id <> $1`, bob),
		"expired browsers are removed")
}

func TestNewPasswordForgetsBrowsersAndResets(t *testing.T) {
	b := setup(t)
	ann := b.person("ann@example.com", "")
	bob := b.person("bob@example.com", "")
	for _, who := range []string{"ann@example.com", "bob@example.com"} {
		_, err := b.people.RememberBrowser(b.ctx(), b.signIn(who), "")
		require.NoError(t, err)
		b.Exec(
			`insert into account_resets (user_id, token_hash, expires_at) values ($1, sha256($2::bytea), now())`,
			map[string]string{
				"ann@example.com": ann,
				"bob@example.com": bob,
			}[who], who,
		)
	}
	b.Exec(`update users set password_hash = 'another' where id = $1`, ann)
	for _, table := range []string{"known_browsers", "account_resets"} {
		require.Equal(t, bob, one[string](b, `select string_agg(user_id::text, ',') from `+table))
	}
}
