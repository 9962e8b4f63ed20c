package identity_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// lock locks an account by wrong passwords from another address.
func (b *bundle) lock(email string) {
	b.t.Helper()
	b.fail(10, identity.ErrWrongPassword, func() error {
		return b.try(email, wrongPassword, identity.Client{Address: "203.0.113.9"})
	})
}

// A browser is known for one person, for 180 days after its last sign-in, by a token that is stored
// as a hash.
func TestKnownBrowsersAreOutsideTheLock(t *testing.T) {
	b := setup(t)
	b.person(ann, "")
	bobID := b.person(bob, "")
	remember := func(email, token string) string {
		token, err := b.other.RememberBrowser(b.ctx(), b.signIn(email), token)
		require.NoError(t, err)
		return token
	}
	token := remember(ann, "")
	require.Len(t, token, 43)
	hash := sha256.Sum256([]byte(token))
	require.Equal(t, hash[:], one[[]byte](b, `select token_hash from known_browsers`))
	require.Equal(t, token, remember(ann, token))
	for _, planted := range []string{token, "made up", ""} {
		require.NotEqual(t, planted, remember(bob, planted), "it is not this person's")
	}
	tryFrom := func(browser string) error {
		return b.try(ann, password, identity.Client{Address: "192.0.2.1", Browser: browser})
	}
	b.pass(180*24*time.Hour - time.Minute)
	b.lock(ann)
	require.True(t, apperr.Is(tryFrom(""), apperr.RateLimited))
	require.NoError(t, tryFrom(token))
	b.pass(time.Minute)
	b.lock(ann)
	require.True(t, apperr.Is(tryFrom(token), apperr.RateLimited), "known for 180 days")

	b.pass(time.Minute)
	for range 25 {
		remember(bob, "")
	}
	require.Equal(t, 20, one[int](b, `select count(*) from known_browsers where user_id = $1`, bobID))
	require.Equal(t, 20, one[int](b, `select count(*) from known_browsers`), "expired ones are removed")
}

func TestNewPasswordForgetsBrowsersAndResets(t *testing.T) {
	b := setup(t)
	annID := b.person(ann, "")
	bobID := b.person(bob, "")
	for _, email := range []string{ann, bob} {
		_, err := b.people.RememberBrowser(b.ctx(), b.signIn(email), "")
		require.NoError(t, err)
		b.reset(email)
	}
	b.Exec(`update users set password_hash = 'another' where id = $1`, annID)
	for _, table := range []string{"known_browsers", "account_resets"} {
		require.Equal(t, bobID, one[string](b, `select string_agg(user_id::text, ',') from `+table))
	}
}
