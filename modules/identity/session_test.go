package identity_test

import (
	"context"
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/identity"
)

// A session that ends while a change in it waits for its turn does not come back with a new token.
func TestEndedSessionDoesNotComeBack(t *testing.T) {
	b := setup(t)
	id := b.person("ann@example.com", secret)
	pending := b.signIn("ann@example.com")
	full := b.signInFully("ann@example.com")
	b.pass(time.Minute)
	for name, change := range map[string]func() (identity.Session, error){
		"second step": func() (identity.Session, error) {
			return b.people.VerifySecondStep(b.ctx(), pending.Token, b.code(secret, 0))
		},
		"turning off": func() (identity.Session, error) {
			return b.people.TurnOffTwoStep(b.ctx(), full.Token, proof(b.code(secret, 1)))
		},
		"password": func() (identity.Session, error) {
			return b.people.ChangePassword(b.ctx(), full.Token, proof(b.code(secret, 1)),
				replacement)
		},
	} {
		tx, err := b.Owner.Pool.Begin(b.ctx())
		require.NoError(t, err)
		defer tx.Rollback(context.Background())
		_, err = tx.Exec(b.ctx(), `select from users where id = $1 for update`, id)
		require.NoError(t, err)
		done := make(chan error, 1)
		go func() {
			_, err := change()
			done <- err
		}()
		b.waitForLock()
		_, err = tx.Exec(b.ctx(), `delete from sessions`)
		require.NoError(t, err)
		require.NoError(t, tx.Commit(b.ctx()))
		require.ErrorIs(t, <-done, identity.ErrNoSession, name)
		require.Zero(t, one[int](b, `select count(*) from sessions`), name)
		pending = b.signIn("ann@example.com")
		full = b.signInFully("ann@example.com")
		b.pass(time.Minute)
	}
}

// An e-mail signs in in any case; every instance reads the session.
func TestSignInBeginsSession(t *testing.T) {
	b := setup(t)
	id := b.person("Ann@Example.com", "")
	session, err := b.people.SignIn(b.ctx(), "ANN@example.COM", password, firefox)
	require.NoError(t, err)
	want := identity.Person{ID: id, Name: "Name of Ann@Example.com", Email: "Ann@Example.com"}
	require.Equal(t, identity.Session{Person: want, Token: session.Token, StartedAt: b.now()},
		session)
	seen, err := b.other.Session(b.ctx(), session.Token)
	require.NoError(t, err)
	require.Equal(t, session, seen)

	require.NoError(t, b.other.SignOut(b.ctx(), session.Token))
	require.False(t, b.isActive(session.Token))
	require.NoError(t, b.other.SignOut(b.ctx(), session.Token))
}

func TestTokensAreStoredAsHashes(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	session := b.signIn("ann@example.com")
	require.Len(t, session.Token, 43)
	hash := sha256.Sum256([]byte(session.Token))
	require.Equal(t, hash[:], one[[]byte](b, `select token_hash from sessions`))
	require.NotEqual(t, session.Token, b.signIn("ann@example.com").Token)
	for _, token := range []string{
		"", "x", session.Token + "=", strings.ToLower(session.Token), string(hash[:]),
		strings.Repeat("A", 100_000), "\x00\xff",
	} {
		_, err := b.people.Session(b.ctx(), token)
		require.ErrorIs(t, err, identity.ErrNoSession)
	}
}

// A session lasts 12 h without use and 24 h in all.
func TestSessionsExpire(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	idle := b.signIn("ann@example.com")
	used := b.signIn("ann@example.com")
	lastUse := func(of identity.Session) time.Time {
		hash := sha256.Sum256([]byte(of.Token))
		return one[time.Time](b, `select last_used_at from sessions where token_hash = $1`, hash[:])
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

// Requests of a session overtake each other: the one that began earlier does not move its last use
// back.
func TestLastUseIsNotMovedBack(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	session := b.signIn("ann@example.com")
	b.pass(time.Minute)
	tx, err := b.Owner.Pool.Begin(b.ctx())
	require.NoError(t, err)
	defer tx.Rollback(context.Background())
	later := b.now().Add(time.Second)
	_, err = tx.Exec(b.ctx(), `update sessions set last_used_at = $1`, later)
	require.NoError(t, err)
	read := make(chan error, 1)
	go func() {
		_, err := b.people.Session(b.ctx(), session.Token)
		read <- err
	}()
	b.waitForLock()
	require.NoError(t, tx.Commit(b.ctx()))
	require.NoError(t, <-read)
	require.Equal(t, later, one[time.Time](b, `select last_used_at from sessions`))
}

// A person sees and ends no other person's sessions.
func TestSessionsAreListedAndEnded(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	b.person("bob@example.com", "")
	first := b.signIn("ann@example.com")
	bob := b.signIn("bob@example.com")
	b.pass(time.Minute)
	odd := identity.Client{
		Address:   strings.Repeat("1", 100),
		UserAgent: strings.Repeat("é", 128) + "\x00\xff",
	}
	second, err := b.other.SignIn(b.ctx(), "ann@example.com", password, odd)
	require.NoError(t, err)

	open, err := b.people.ActiveSessions(b.ctx(), first.Token)
	require.NoError(t, err)
	require.Len(t, open, 2)
	own := open[0]
	other := open[1]
	require.Equal(t, identity.ActiveSession{
		ID:         own.ID,
		Address:    firefox.Address,
		UserAgent:  firefox.UserAgent,
		StartedAt:  first.StartedAt,
		LastUsedAt: first.StartedAt,
		Current:    true,
	}, own)
	require.Equal(t, []string{strings.Repeat("1", 64), strings.Repeat("é", 128)},
		[]string{other.Address, other.UserAgent})
	require.Equal(t, b.now(), other.LastUsedAt)
	require.False(t, other.Current)

	for _, id := range []string{other.ID, "", "x", other.Address} {
		require.NoError(t, b.people.EndSession(b.ctx(), bob.Token, id))
		require.True(t, b.isActive(second.Token))
	}
	require.ErrorIs(t, b.people.EndSession(b.ctx(), other.ID, own.ID), identity.ErrNoSession)
	require.NoError(t, b.people.EndSession(b.ctx(), first.Token, other.ID))
	require.False(t, b.isActive(second.Token))
	require.True(t, b.isActive(first.Token))
}

func TestPeople(t *testing.T) {
	b := setup(t)
	bob := b.person("bob@example.com", secret)
	ann := b.person("ann@example.com", "")
	b.person("cat@example.com", "")
	people, err := b.people.People(b.ctx(),
		[]string{bob, ann, "00000000-0000-4000-8000-00000000000a"})
	require.NoError(t, err)
	require.Len(t, people, 2)
	assert.Equal(t, identity.Person{
		ID:    ann,
		Name:  "Name of ann@example.com",
		Email: "ann@example.com",
	}, people[0])
	assert.Equal(t, identity.Person{
		ID:      bob,
		Name:    "Name of bob@example.com",
		Email:   "bob@example.com",
		TwoStep: true,
	}, people[1])
	none, err := b.people.People(b.ctx(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
	_, err = b.people.People(b.ctx(), make([]string, 1001))
	require.Error(t, err)
}
