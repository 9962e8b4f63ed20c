package identity_test

import (
	"context"
	"crypto/sha256"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// A response to a sign-in does not reveal whether the e-mail is known.
func TestWrongPasswordAndUnknownEmailGetTheSameResponse(t *testing.T) {
	b := setupAnn(t, "")
	b.Exec(`update users set password_hash = null where id = $1`, b.storePerson(bobEmail, ""))
	for _, c := range [][2]string{
		{annEmail, wrongPassword}, {annEmail, ""}, {annEmail, strings.Repeat(password, 1000)},
		{annEmail, password + "\x00"},
		{bobEmail, password}, {bobEmail, ""}, {"nobody@example.com", password}, {"", ""}, {annEmail + "\x00", password},
		{"\xff@example.com", password}, {strings.Repeat("a", 60_000), password},
	} {
		require.Equal(t, identity.ErrWrongPassword, b.trySignIn(c[0], c[1], homeAddress), "%.30q", c[0])
	}
	require.Zero(t, b.CountRows(`sessions`))
	require.Zero(t, b.CountRows(`password_guesses where key_hash in
		(convert_to('ann@example.com', 'UTF8'), convert_to('account:ann@example.com', 'UTF8'))`))
}

// SignIn computes a hash for an unknown e-mail too, as the allocated memory shows.
func TestUnknownEmailTakesAsLongAsWrongPassword(t *testing.T) {
	b := setupAlone(t)
	service := b.newInstance(b.DB)
	const hash = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQxMjM0NTY3OA$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
	b.AddPerson(testkit.Person{Email: annEmail, PasswordHash: hash})
	b.Exec(`update users set password_hash = null where id = $1`, b.storePerson(bobEmail, ""))
	allocated := func(email, password string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := service.SignIn(b.ctx(), email, password, "")
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		return after.TotalAlloc - before.TotalAlloc
	}
	_ = b.trySignIn(annEmail, wrongPassword, homeAddress) // the first statements allocate more
	for _, email := range []string{annEmail, bobEmail, "nobody@example.com", "\x00"} {
		require.InDelta(t, 19<<20, allocated(email, wrongPassword), 2<<20, email)
	}
	for range 10 {
		_ = b.trySignIn(annEmail, wrongPassword, homeAddress)
	}
	require.Less(t, allocated(annEmail, password), uint64(2<<20), "a locked account costs nothing")
}

// Ten wrong passwords, even concurrent ones or of ended requests, lock a known or unknown e-mail for ten minutes.
func TestTenWrongPasswordsLockAnAccount(t *testing.T) {
	b := setupAnn(t, "")
	b.storePerson(bobEmail, "")
	require.Equal(t, [3]int{50, 0, 0}, b.countResults(func(_ int, instance *identity.Service) error {
		return tb.ErrorOf(instance.SignIn(b.ctx(), annEmail, password, "")) // correct passwords are not counted
	}))
	for i, email := range []string{annEmail, "nobody@example.com"} {
		address := "198.51.100." + strconv.Itoa(i)
		require.Equal(t, [3]int{0, 10, 40}, b.countResults(func(_ int, instance *identity.Service) error {
			return tb.ErrorOf(instance.SignIn(b.contextFrom(address), email, wrongPassword, ""))
		}), email)
		until := b.now().Add(10 * time.Minute)
		for _, p := range []string{password, wrongPassword} {
			b.advance(time.Second)
			requireLocked(t, b.trySignIn(strings.ToUpper(email), p, address), until)
		}
		b.signIn(bobEmail)
	}
	b.advance(10*time.Minute - 4*time.Second)
	require.Error(t, b.trySignIn(annEmail, wrongPassword, homeAddress))
	b.advance(4 * time.Second)
	b.signIn(annEmail)
	signInWrongly := func() error { return b.trySignIn(annEmail, wrongPassword, homeAddress) }
	for range 2 { // wrong passwords of different windows do not add up
		b.requireFailures(9, identity.ErrWrongPassword, signInWrongly)
		b.advance(10 * time.Minute)
	}
	b.requireFailures(5, identity.ErrWrongPassword, signInWrongly)
	b.signIn(annEmail) // the correct password resets the count
	b.requireFailures(10, identity.ErrWrongPassword, func() error {
		ctx, cancel := context.WithCancel(b.ctx()) // ends while the hash is computed
		return b.service.AttemptWrongPassword(ctx, annEmail, cancel)
	})
	requireLocked(t, b.trySignIn(annEmail, password, homeAddress), b.now().Add(10*time.Minute))
}

// A correct password is refused if a lock or a change of password commits while it is verified.
func TestLockOrChangeDuringSignInRefusesThePassword(t *testing.T) {
	b := setupAnn(t, "")
	until := b.now().Add(time.Minute)
	signIn := func() error { return b.trySignIn(annEmail, password, homeAddress) }
	lock := b.Begin(`insert into password_guesses (key_hash, wrong, ends_at)
		select sha256(convert_to('account:ann@example.com ' || password_hash, 'UTF8')), 50, $1 from users`, until)
	requireLocked(t, b.WhileWaiting(lock, signIn, nil), until)
	b.advance(time.Minute)
	change := b.Begin(`update users set password_hash = 'another'`)
	require.Equal(t, identity.ErrWrongPassword, b.WhileWaiting(change, signIn, nil))
	require.Zero(t, b.CountRows(`sessions`))
}

// The program's log contains each sign-in, failure and lock, but no unknown e-mail.
func TestSignInsAreLogged(t *testing.T) {
	b := setup(t)
	id := b.storePerson(annEmail, totpSecret)
	pending := b.signIn(annEmail)
	require.Empty(t, b.programLog.String(), "the code is due")
	require.Error(t, tb.ErrorOf(b.service.VerifySecondStep(b.ctx(), pending.Token, b.wrongCode(totpSecret))))
	require.NoError(t, tb.ErrorOf(b.service.VerifySecondStep(b.ctx(), pending.Token, b.code(totpSecret, 0))))
	require.Contains(t, b.programLog.String(), `msg="signed in" person_id=`+id)
	for range 11 {
		require.Error(t, tb.ErrorOf(b.service.SignIn(b.ctx(), annEmail, wrongPassword, "")))
	}
	require.Error(t, tb.ErrorOf(b.service.SignIn(b.ctx(), "typed password", wrongPassword, "")))
	require.Equal(t, 10, strings.Count(b.programLog.String(), `msg="sign-in failed" reason=wrong_password`))
	require.Equal(t, 1, strings.Count(b.programLog.String(), `msg="sign-in failed" reason=unknown_email`))
	require.Equal(t, 1, strings.Count(b.programLog.String(), `reason=wrong_code person_id=`+id))
	require.Regexp(t, `msg="sign-in failed" until=\S+ reason=locked person_id=`+id, b.programLog.String())
	require.NotContains(t, b.programLog.String(), "typed password")
}

// A session that ends while its change waits for the lock is not replaced by a session with a new token.
func TestEndedSessionIsNotRenewed(t *testing.T) {
	b := setupAnn(t, totpSecret)
	for name, change := range map[string]func(pending, signedIn identity.Session) error{
		"second step": func(pending, _ identity.Session) error { return b.verifyCode(pending, b.code(totpSecret, 0)) },
		"password": func(_, signedIn identity.Session) error {
			return b.changePassword(signedIn, proof(b.code(totpSecret, 1)))
		},
	} {
		pending := b.signIn(annEmail)
		signedIn := tb.Must(b.service.VerifySecondStep(b.ctx(), b.signIn(annEmail).Token, b.code(totpSecret, 0)))(t)
		b.advance(time.Minute)
		personLock := b.Begin(`select from users for update`)
		err := b.WhileWaiting(personLock, func() error { return change(pending, signedIn) },
			func() { b.Exec(`delete from sessions`) })
		require.ErrorIs(t, err, identity.ErrNoSession, name)
		require.Zero(t, b.CountRows(`sessions`), name)
	}
	b.storePerson(bobEmail, "")
	session := b.signIn(bobEmail)
	change := func() error { return b.changePassword(session, proof("")) }
	err := b.WhileWaiting(b.Begin(`delete from sessions`), change, nil)
	require.ErrorIs(t, err, identity.ErrNoSession, "it ends between its reading and its renewal")
	require.NoError(t, b.trySignIn(bobEmail, password, homeAddress), "nothing is changed")
}

// A session is stored under the hash of its token, and is valid on every instance. E-mails are compared without case.
func TestTokensAreStoredAsHashes(t *testing.T) {
	b := setup(t)
	id := b.storePerson("Ann@Example.com", "")
	session := b.signIn("ANN@example.COM")
	want := identity.Person{ID: id, Name: "Name of Ann@Example.com", Email: "Ann@Example.com", HasPassword: true}
	require.Equal(t, identity.Session{Person: want, Token: session.Token, StartedAt: b.now()}, session)
	require.Equal(t, session, tb.Must(b.otherInstance.Session(b.ctx(), session.Token))(t))
	require.Len(t, session.Token, 52)
	hash := sha256.Sum256([]byte(session.Token))
	require.Equal(t, hash[:], testkit.Query[[]byte](b.World, `select token_hash from sessions`))
	nextSession := tb.Must(b.service.SignIn(b.ctx(), annEmail, password, session.Token))(t)
	require.NotEqual(t, session.Token, nextSession.Token)
	require.False(t, b.isActive(session.Token), "a sign-in ends the browser's former session")
	for range 2 {
		require.NoError(t, b.otherInstance.SignOut(b.ctx(), nextSession.Token))
	}
	for _, token := range []string{
		"", nextSession.Token, nextSession.Token + "=", string(hash[:]), strings.Repeat("A", 100_000),
	} {
		require.ErrorIs(t, tb.ErrorOf(b.service.Session(b.ctx(), token)), identity.ErrNoSession)
	}
}

// A session ends 12 h after its last use, at most 24 h after its start. A use waits for no change of the session.
func TestSessionsExpire(t *testing.T) {
	b := setupAnn(t, "")
	idleSession, usedSession := b.signIn(annEmail), b.signIn(annEmail)
	lastUse := func(session identity.Session) time.Time {
		return testkit.Query[time.Time](b.World, `select last_used_at from sessions where token_hash = sha256($1)`,
			[]byte(session.Token))
	}
	b.advance(59 * time.Second)
	require.True(t, b.isActive(usedSession.Token))
	require.Equal(t, usedSession.StartedAt, lastUse(usedSession), "written at most once a minute")
	b.advance(time.Second)
	changing := b.Begin(`update sessions set authenticated_at = now()`)
	require.True(t, b.isActive(usedSession.Token))
	require.NoError(t, changing.Rollback(t.Context()))
	require.True(t, b.isActive(usedSession.Token))
	require.Equal(t, b.now(), lastUse(usedSession))

	b.advance(12*time.Hour - time.Minute - time.Millisecond)
	require.True(t, b.isActive(usedSession.Token))
	b.advance(time.Millisecond)
	require.False(t, b.isActive(idleSession.Token), "12 h without use")
	b.advance(time.Hour)
	require.True(t, b.isActive(usedSession.Token))
	b.advance(11*time.Hour - time.Millisecond)
	require.True(t, b.isActive(usedSession.Token), "until 24 h")
	b.advance(time.Millisecond)
	require.False(t, b.isActive(usedSession.Token), "24 h in all, though it was used")
}

func (b *fixture) addExpiredSessions(personID string, n int) {
	b.Exec(`insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at, second_step_due)
		select sha256(n::text::bytea), $1, $2, $2, $2, false from generate_series(1, $3::int) n`,
		personID, b.now(), n)
}

// Sign-ins remove expired rows, at most 1,000 per table. They do not wait for rows that another instance removes.
func TestExpiredRowsAreSwept(t *testing.T) {
	b := setup(t)
	b.addExpiredSessions(b.storePerson(annEmail, ""), 1050)
	b.Exec(`insert into password_guesses (key_hash, wrong, ends_at)
		select sha256(n::text::bytea), 10, $1 from generate_series(1, 1050) n`, b.now())
	b.Begin(`delete from sessions where token_hash = sha256('2')`)
	for _, want := range []int{50 + 1, 1 + 2} {
		b.signIn(annEmail)
		require.Equal(t, want, b.CountRows(`sessions`))
	}
	require.Zero(t, b.CountRows(`password_guesses where wrong > 0`))
}

// "Sign out everywhere" also ends a session whose token rotates concurrently.
func TestSignOutEverywhereEndsARotatingSession(t *testing.T) {
	b := setup(t)
	id := b.storePerson(annEmail, "")
	session := b.signIn(annEmail)
	rotation := b.Begin(`select from users where id = $1 for no key update`, id)
	signOut := func() error { return b.service.SignOutEverywhere(b.ctx(), session.Token) }
	require.NoError(t, b.WhileWaiting(rotation, signOut,
		func() {
			b.ExecIn(rotation, `insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at,
				second_step_due) values (sha256('rotated'), $1, $2, $2, $2, false)`, id, b.now().Add(time.Hour))
		}))
	require.Zero(t, b.CountRows(`sessions`))
}

// A person has at most 100 signed-in sessions. The newest stays. A session that waits for a code ends no other session.
func TestSessionLimitKeepsNewAndPendingSessions(t *testing.T) {
	b := setup(t)
	b.addExpiredSessions(b.storePerson(annEmail, totpSecret), 100)
	b.Exec(`update sessions set expires_at = $1, last_used_at = $1::timestamptz
		- case token_hash when sha256('7') then interval '1 h' else '0' end`, b.now().Add(time.Hour))
	pending := b.signIn(annEmail)
	for range 200 {
		b.signIn(annEmail)
	}
	require.Equal(t, 100, b.CountRows(`sessions where not second_step_due`))
	signedIn := tb.Must(b.service.VerifySecondStep(b.ctx(), pending.Token, b.code(totpSecret, 0)))(t)
	require.True(t, b.isActive(signedIn.Token))
	require.Equal(t, 100, b.CountRows(`sessions where not second_step_due`))
	require.Zero(t, b.CountRows(`sessions where token_hash = sha256('7')`), "the least recently used")
	require.Equal(t, 200, b.CountRows(`sessions where second_step_due`), "which a sign-in does not end")
}

// Sign-ins, codes, changes and resets each wait for one of their network's two slots, and free it even if they fail.
func TestPasswordChecksWaitForASlot(t *testing.T) {
	b := setupAnn(t, "")
	session := b.signIn(annEmail)
	slots := b.service.Limiters()["sign_ins"]
	for name, check := range map[string]func() error{
		"sign-in":  func() error { return tb.ErrorOf(b.service.SignIn(b.ctx(), annEmail, wrongPassword, "")) },
		"code":     func() error { return tb.ErrorOf(b.service.VerifySecondStep(b.ctx(), "", "")) },
		"password": func() error { return b.changePassword(session, identity.Proof{Password: wrongPassword}) },
		"reset":    func() error { return b.service.ResetPassword(b.ctx(), "", newPassword, "") },
	} {
		releaseFirst := tb.Must(slots.Acquire(b.ctx(), homeAddress))(t)
		releaseSecond := tb.Must(slots.Acquire(b.ctx(), homeAddress))(t)
		done := make(chan error, 1)
		go func() { done <- check() }()
		require.Eventually(t, func() bool { return slots.Stats().Waiting == 1 }, 4*time.Second, time.Millisecond, name)
		releaseFirst()
		releaseSecond()
		require.Error(t, <-done, name)
		require.Zero(t, slots.Stats().Running, name)
	}
}
