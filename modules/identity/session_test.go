package identity_test

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
)

// A session that ends while its change waits for the lock does not get a new token.
func TestEndedSessionDoesNotComeBack(t *testing.T) {
	b := setup(t)
	b.person(ann, secret)
	for name, change := range map[string]func(pending, full identity.Session) error{
		"second step": func(pending, _ identity.Session) error {
			return b.verify(pending, b.code(secret, 0))
		},
		"password": func(_, full identity.Session) error {
			return b.change(full, proof(b.code(secret, 1)))
		},
	} {
		pending := b.signIn(ann)
		full := b.signInFully(ann)
		b.pass(time.Minute)
		err := b.whileWaiting(func() error { return change(pending, full) },
			`delete from sessions`, `select from users for update`)
		require.ErrorIs(t, err, identity.ErrNoSession, name)
		require.Zero(t, one[int](b, `select count(*) from sessions`), name)
	}
}

// Every instance reads the session. The e-mail is compared without case.
func TestTokensAreStoredAsHashes(t *testing.T) {
	b := setup(t)
	id := b.person("Ann@Example.com", "")
	session := b.signIn("ANN@example.COM")
	want := identity.Person{ID: id, Name: "Name of Ann@Example.com", Email: "Ann@Example.com"}
	require.Equal(t, identity.Session{Person: want, Token: session.Token, StartedAt: b.now()},
		session)
	seen, err := b.other.Session(b.ctx(), session.Token)
	require.NoError(t, err)
	require.Equal(t, session, seen)
	require.Len(t, session.Token, 43)
	hash := sha256.Sum256([]byte(session.Token))
	require.Equal(t, hash[:], one[[]byte](b, `select token_hash from sessions`))
	require.NotEqual(t, session.Token, b.signIn(ann).Token)
	for range 2 {
		require.NoError(t, b.other.SignOut(b.ctx(), session.Token))
	}
	for _, token := range []string{
		"", session.Token, session.Token + "=", string(hash[:]), strings.Repeat("A", 100_000),
	} {
		_, err := b.people.Session(b.ctx(), token)
		require.ErrorIs(t, err, identity.ErrNoSession)
	}
}

// A session ends 12 h after its last use, and 24 h after its start.
func TestSessionsExpire(t *testing.T) {
	b := setup(t)
	b.person(ann, "")
	idle := b.signIn(ann)
	used := b.signIn(ann)
	lastUse := func(of identity.Session) time.Time {
		return one[time.Time](b, `select last_used_at from sessions where token_hash = sha256($1)`,
			[]byte(of.Token))
	}
	b.pass(59 * time.Second)
	require.True(t, b.isActive(used.Token))
	require.Equal(t, used.StartedAt, lastUse(used), "written at most once a minute")
	b.pass(time.Second)
	require.True(t, b.isActive(used.Token))
	require.Equal(t, b.now(), lastUse(used))

	b.pass(12*time.Hour - time.Minute - time.Millisecond)
	require.True(t, b.isActive(used.Token))
	b.pass(time.Millisecond)
	require.False(t, b.isActive(idle.Token), "12 h without use")
	b.pass(time.Hour)
	require.True(t, b.isActive(used.Token))
	b.pass(11*time.Hour - time.Millisecond)
	require.True(t, b.isActive(used.Token), "until 24 h")
	b.pass(time.Millisecond)
	require.False(t, b.isActive(used.Token), "24 h in all, though it was used")
}

// Signing out everywhere ends all sessions of the person, and of no other.
func TestSignOutEverywhereEndsAllSessionsOfThePerson(t *testing.T) {
	b := setup(t)
	b.person(ann, "")
	b.person(bob, "")
	first := b.signIn(ann)
	second := b.signIn(ann)
	bobs := b.signIn(bob)
	require.NoError(t, b.other.SignOutEverywhere(b.ctx(), first.Token))
	require.False(t, b.isActive(first.Token))
	require.False(t, b.isActive(second.Token))
	require.True(t, b.isActive(bobs.Token))
	require.ErrorIs(t, b.other.SignOutEverywhere(b.ctx(), first.Token), identity.ErrNoSession)
}
