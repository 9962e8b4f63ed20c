package identity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
)

// age sets how long ago the person of a session entered the password, by the database's clock.
func (b *bundle) age(of identity.Session, since string) {
	b.t.Helper()
	b.Exec(`update sessions set authenticated_at = now() - $2::interval where token_hash = sha256($1)`,
		[]byte(of.Token), since)
}

func (b *bundle) reauthenticate(of identity.Session, proof identity.Proof) error {
	b.t.Helper()
	return b.other.Reauthenticate(b.ctx(), of.Token, proof)
}

// rules.md, Keys: signing in counts as entering the password. The database's clock counts the 15
// minutes, for one session.
func TestPasswordIsDueAfterFifteenMinutes(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	session := b.signIn("ann@example.com")
	other := b.signIn("ann@example.com")
	none := identity.Proof{}
	right := proof("")
	b.pass(time.Hour)
	require.NoError(t, b.reauthenticate(session, none), "the instance's clock does not count")
	b.age(session, "14 minutes 50 seconds")
	require.NoError(t, b.reauthenticate(session, none))
	require.NoError(t, b.reauthenticate(session, identity.Proof{Password: wrongPassword}),
		"it is not looked at")

	b.age(session, "15 minutes 1 second")
	b.age(other, "15 minutes 1 second")
	require.Equal(t, identity.ErrPasswordDue, b.reauthenticate(session, none))
	require.Equal(t, identity.ErrWrongPassword,
		b.reauthenticate(session, identity.Proof{Password: wrongPassword}))
	require.Equal(t, identity.ErrPasswordDue, b.reauthenticate(session, none))
	require.NoError(t, b.reauthenticate(session, right))
	require.NoError(t, b.reauthenticate(session, none))
	require.Equal(t, identity.ErrPasswordDue, b.reauthenticate(other, none),
		"another session of the person")

	b.Exec(`update sessions set authenticated_at = null`) // from before the column
	require.Equal(t, identity.ErrPasswordDue, b.reauthenticate(session, none))
	changed, err := b.people.ChangePassword(b.ctx(), session.Token, right, replacement)
	require.NoError(t, err)
	require.NoError(t, b.reauthenticate(changed, none), "it was entered for the change")
	require.NoError(t, b.people.SignOut(b.ctx(), changed.Token))
	for _, given := range []identity.Proof{none, {Password: replacement}} {
		require.Equal(t, identity.ErrNoSession, b.reauthenticate(changed, given))
	}
}

// With two-step verification on a code or a recovery code is needed too: each works once.
func TestReauthenticationTakesACode(t *testing.T) {
	b := setup(t)
	ann, codes, _ := b.enrolled("ann@example.com")
	pending := b.signIn("ann@example.com")
	require.Equal(t, identity.ErrNoSession, b.reauthenticate(pending, proof(codes[0])),
		"the code of the sign-in is due")
	b.pass(time.Minute)
	session, err := b.people.VerifySecondStep(b.ctx(), pending.Token, b.code(ann, 0))
	require.NoError(t, err)
	for _, wrong := range []string{"", b.wrongCode(ann), b.code(ann, 0)} {
		b.age(session, "1 hour")
		require.Equal(t, identity.ErrWrongCode, b.reauthenticate(session, proof(wrong)), "%q",
			wrong)
	}
	for _, right := range []string{b.code(ann, 1), codes[0]} {
		require.NoError(t, b.reauthenticate(session, proof(right)))
		b.age(session, "1 hour")
		require.Equal(t, identity.ErrWrongCode, b.reauthenticate(session, proof(right)), "used")
	}
	b.pass(time.Minute)
	wrong := identity.Proof{Password: wrongPassword, Code: b.code(ann, 0)}
	require.Equal(t, identity.ErrWrongPassword, b.reauthenticate(session, wrong))
	require.NoError(t, b.reauthenticate(session, proof(wrong.Code)),
		"a wrong password uses up no code")
}

// A form that is sent twice at once: the code counts for both, and is no wrong one.
func TestReauthenticationsAtOnceTakeOneCode(t *testing.T) {
	b := setup(t)
	_, codes, session := b.enrolled("ann@example.com")
	b.age(session, "1 hour")
	done := make(chan error)
	for range 3 {
		go func() { done <- b.other.Reauthenticate(b.ctx(), session.Token, proof(codes[0])) }()
	}
	for range 3 {
		require.NoError(t, <-done)
	}
	require.Zero(t,
		one[int](b, `select wrong_codes from users where email_key = 'ann@example.com'`))
	require.Equal(t, len(codes)-1, b.left(session))
}

// Wrong passwords count together with those of other changes in the session (doc.go, Limits).
func TestReauthenticationIsBounded(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	session := b.signIn("ann@example.com")
	other := b.signIn("ann@example.com")
	b.age(session, "1 hour")
	b.age(other, "1 hour")
	for range 5 {
		wrong := identity.Proof{Password: wrongPassword}
		require.Equal(t, identity.ErrWrongPassword, b.reauthenticate(session, wrong))
		_, err := b.people.ChangePassword(b.ctx(), session.Token, wrong, replacement)
		require.Equal(t, identity.ErrWrongPassword, err)
	}
	until := b.now().Add(10 * time.Minute)
	requireLocked(t, b.reauthenticate(session, proof("")), until)
	_, err := b.people.ChangePassword(b.ctx(), session.Token, proof(""), replacement)
	requireLocked(t, err, until)
	require.Equal(t, identity.ErrPasswordDue, b.reauthenticate(session, identity.Proof{}))
	require.NoError(t, b.reauthenticate(other, proof("")))
}
