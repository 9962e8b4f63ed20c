package identity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// addSessions stores sessions of the person that have ended.
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
		require.Equal(t, want, one[int](b, `select count(*) from sessions`))
	}
	require.Zero(t, one[int](b, `select count(*) from password_guesses where wrong > 0`))
}

// A person has at most 100 sessions.
func TestSessionsOfAPersonAreBounded(t *testing.T) {
	b := setup(t)
	b.addSessions(b.person(ann, ""), 150)
	b.Exec(`update sessions set expires_at = $1`, b.now().Add(time.Hour))
	b.pass(time.Millisecond)
	session := b.signIn(ann)
	require.Equal(t, 100, one[int](b, `select count(*) from sessions`))
	require.True(t, b.isActive(session.Token), "those used longest ago end")
}
