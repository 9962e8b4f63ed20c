package identity_test

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/testkit"
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
		full, err := b.people.VerifySecondStep(b.ctx(), b.signIn(ann).Token, b.code(secret, 0))
		require.NoError(t, err)
		b.pass(time.Minute)
		err = b.WhileWaiting(b.Begin(`select from users for update`),
			func() error { return change(pending, full) },
			func() { b.Exec(`delete from sessions`) })
		require.ErrorIs(t, err, identity.ErrNoSession, name)
		require.Zero(t, b.Count(`sessions`), name)
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
	require.Len(t, session.Token, 52)
	hash := sha256.Sum256([]byte(session.Token))
	require.Equal(t, hash[:], testkit.One[[]byte](b.World, `select token_hash from sessions`))
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
		return testkit.One[time.Time](b.World, `select last_used_at from sessions where token_hash = sha256($1)`,
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

func (b *bundle) addSessions(id string, n int) {
	b.Exec(`insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at,
		second_step_due)
		select sha256(n::text::bytea), $1, $2, $2, $2, false from generate_series(1, $3::int) n`,
		id, b.now(), n)
}

// Sign-ins remove expired rows, at most 1,000 of a table. They do not wait for rows that another
// instance removes.
func TestExpiredRowsAreSwept(t *testing.T) {
	b := setup(t)
	b.addSessions(b.person(ann, ""), 1050)
	b.Exec(`insert into password_guesses (key_hash, wrong, ends_at)
		select sha256(n::text::bytea), 10, $1 from generate_series(1, 1050) n`, b.now())
	b.Begin(`delete from sessions where token_hash = sha256('2')`)
	for _, want := range []int{50 + 1, 1 + 2} {
		b.signIn(ann)
		require.Equal(t, want, b.Count(`sessions`))
	}
	require.Zero(t, b.Count(`password_guesses where wrong > 0`))
}

// "Sign out everywhere" also ends a session whose token rotates at the same time.
func TestSignOutEverywhereEndsARotatingSession(t *testing.T) {
	b := setup(t)
	id := b.person(ann, "")
	own := b.signIn(ann)
	rotation := b.Begin(`select from users where id = $1 for no key update`, id)
	require.NoError(t, b.WhileWaiting(rotation,
		func() error { return b.people.SignOutEverywhere(b.ctx(), own.Token) },
		func() {
			_, err := rotation.Exec(b.ctx(), `insert into sessions (token_hash, user_id, created_at,
				last_used_at, expires_at, second_step_due)
				values (sha256('rotated'), $1, $2, $2, $2, false)`, id, b.now().Add(time.Hour))
			require.NoError(t, err)
		}))
	require.Zero(t, b.Count(`sessions`))
}

// A person has at most 100 signed-in sessions. A new one stays, whatever the clocks of others say.
// Sessions that wait for a code end no other, and 200 of them do not end the owner's.
func TestFullListOfSessionsKeepsNewAndPendingOnes(t *testing.T) {
	b := setup(t)
	b.addSessions(b.person(ann, secret), 100)
	b.Exec(`update sessions set last_used_at = $1, expires_at = $1`, b.now().Add(time.Hour))
	owners := b.signIn(ann)
	for range 200 {
		b.signIn(ann)
	}
	require.Equal(t, 100, b.Count(`sessions where not second_step_due`))
	in, err := b.people.VerifySecondStep(b.ctx(), owners.Token, b.code(secret, 0))
	require.NoError(t, err)
	require.True(t, b.isActive(in.Token))
	require.Equal(t, 100, b.Count(`sessions where not second_step_due`))
}
