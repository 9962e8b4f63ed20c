package identity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// addSessions stores sessions of the person that end at the instant.
func (b *bundle) addSessions(id string, n int, secondStepDue bool, ends time.Time) {
	b.Exec(`insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at,
		second_step_due)
		select sha256(n::text::bytea), $1, $2, $2, $3, $4 from generate_series(1, $5::int) n`,
		id, b.now(), ends, secondStepDue, n)
}

// Sign-ins remove expired rows once a second, and a person has at most 100 sessions.
func TestExpiredRowsAreSwept(t *testing.T) {
	b := setup(t)
	id := b.person(ann, "")
	b.addSessions(id, 1050, false, b.now())
	b.Exec(`insert into password_guesses (key_hash, wrong, ends_at)
		select sha256(n::text::bytea), 10, $1 from generate_series(1, 1050) n`, b.now())
	for _, want := range []int{50 + 1, 0 + 3} {
		b.signIn(ann)
		require.Equal(t, want, one[int](b, `select count(*) from sessions`))
		b.pass(time.Second - time.Millisecond)
		b.signIn(ann)
		require.Equal(t, want+1, one[int](b, `select count(*) from sessions`),
			"an instance sweeps once a second")
		b.pass(time.Millisecond)
	}
	require.Equal(t, 2, one[int](b, `select count(*) from password_guesses`),
		"the counts of the account, from one network and in all")
	first := b.signIn(ann)
	b.pass(time.Second)
	b.addSessions(id, 200, true, b.now().Add(10*time.Minute))
	last := b.signIn(ann)
	require.Equal(t, 100, one[int](b, `select count(*) from sessions`))
	require.True(t, b.isActive(first.Token), "sessions without their code go first")
	require.True(t, b.isActive(last.Token))
}

// A sign-in does not wait for rows that another instance removes.
func TestSweepSkipsLockedRows(t *testing.T) {
	b := setup(t)
	id := b.person(ann, "")
	b.addSessions(id, 3, false, b.now())
	b.Begin(`delete from sessions where token_hash = sha256('2')`)
	session := b.signIn(ann)
	require.Equal(t, 2, one[int](b, `select count(*) from sessions`),
		"the new one, and the one that is being removed")
	require.True(t, b.isActive(session.Token))
}
