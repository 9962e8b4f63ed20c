package identity_test

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/testkit"
)

func TestWrongPasswordAndUnknownEmailGetOneAnswer(t *testing.T) {
	b := setup(t)
	b.person(ann, "")
	b.Exec(`update users set password_hash = null where id = $1`, b.person(bob, ""))
	for _, c := range [][2]string{
		{ann, wrongPassword}, {ann, ""}, {ann, strings.Repeat(password, 1000)},
		{ann, password + "\x00"}, {bob, password}, {bob, ""}, {"nobody@example.com", password},
		{"", ""}, {ann + "\x00", password}, {"\xff@example.com", password},
		{strings.Repeat("a", 60_000), password},
	} {
		require.Equal(t, identity.ErrWrongPassword, b.try(c[0], c[1], home), "%.30q", c[0])
	}
	require.Zero(t, b.Count(`sessions`))
	require.Zero(t, b.Count(`password_guesses where key_hash in
		(convert_to('ann@example.com', 'UTF8'), convert_to('account:ann@example.com', 'UTF8'))`))
}

// The allocated memory shows that a hash was computed, which takes nearly all of the time.
func TestUnknownEmailTakesAsLongAsWrongPassword(t *testing.T) {
	b := setupAlone(t)
	people := b.service(b.DB)
	const hash = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQxMjM0NTY3OA$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
	b.Person(testkit.Person{Email: ann, PasswordHash: hash})
	b.Exec(`update users set password_hash = null where id = $1`, b.person(bob, ""))
	allocated := func(email, password string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := people.SignIn(b.ctx(), email, password, "")
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		return after.TotalAlloc - before.TotalAlloc
	}
	_ = b.try(ann, wrongPassword, home) // the first statements allocate more
	for _, email := range []string{ann, bob, "nobody@example.com", "\x00"} {
		require.InDelta(t, 19<<20, allocated(email, wrongPassword), 2<<20, email)
	}
	for range 10 {
		_ = b.try(ann, wrongPassword, home)
	}
	require.Less(t, allocated(ann, password), uint64(2<<20), "a locked account costs nothing")
}

// The lock lasts ten minutes, for known and unknown e-mails, and refuses the right password too. Of 50
// concurrent passwords on two instances, ten are compared.
func TestTenWrongPasswordsLockAnAccount(t *testing.T) {
	b := setup(t)
	b.person(ann, "")
	b.person(bob, "")
	require.Equal(t, [3]int{50, 0, 0}, b.atOnce(func(_ int, on *identity.Service) error {
		return errorOf(on.SignIn(b.ctx(), ann, password, "")) // right ones are not counted
	}))
	for i, email := range []string{ann, "nobody@example.com"} {
		from := "198.51.100." + strconv.Itoa(i)
		require.Equal(t, [3]int{0, 10, 40}, b.atOnce(func(_ int, on *identity.Service) error {
			return errorOf(on.SignIn(b.from(from), email, wrongPassword, ""))
		}), email)
		until := b.now().Add(10 * time.Minute)
		for _, p := range []string{password, wrongPassword} {
			b.pass(time.Second)
			requireLocked(t, b.try(strings.ToUpper(email), p, from), until)
		}
		b.signIn(bob)
	}
	b.pass(10*time.Minute - 4*time.Second)
	require.Error(t, b.try(ann, wrongPassword, home))
	b.pass(4 * time.Second)
	b.signIn(ann)
	for range 2 { // wrong ones of different windows are not added
		b.fail(9, identity.ErrWrongPassword, func() error { return b.try(ann, wrongPassword, home) })
		b.pass(10 * time.Minute)
	}
	b.fail(5, identity.ErrWrongPassword, func() error { return b.try(ann, wrongPassword, home) })
	b.signIn(ann) // the right password clears the count
	b.fail(10, identity.ErrWrongPassword, func() error { return b.try(ann, wrongPassword, home) })
}

// A wrong password counts although its request ends while the hash is computed.
func TestWrongPasswordOfAnEndedRequestCounts(t *testing.T) {
	b := setup(t)
	b.person(ann, "")
	for range 10 {
		ctx, cancel := context.WithCancel(b.ctx())
		require.Equal(t, identity.ErrWrongPassword, b.people.AttemptWrong(ctx, ann, cancel))
	}
	requireLocked(t, b.try(ann, password, home), b.now().Add(10*time.Minute))
}

// A lock or a change of password that commits while the right password is verified refuses it.
func TestChangeDuringSignInRefusesThePassword(t *testing.T) {
	b := setup(t)
	b.person(ann, "")
	until := b.now().Add(time.Minute)
	signIn := func() error { return b.try(ann, password, home) }
	lock := b.Begin(`insert into password_guesses (key_hash, wrong, ends_at)
		select sha256(convert_to('account:ann@example.com ' || password_hash, 'UTF8')), 50, $1
		from users`, until)
	requireLocked(t, b.WhileWaiting(lock, signIn, nil), until)
	b.pass(time.Minute)
	change := b.Begin(`update users set password_hash = 'another'`)
	require.Equal(t, identity.ErrWrongPassword, b.WhileWaiting(change, signIn, nil))
	require.Zero(t, b.Count(`sessions`))
}

// The program's log has each sign-in, failure and lock, and no e-mail that is unknown.
func TestSignInsAreLogged(t *testing.T) {
	b := setup(t)
	id := b.person(ann, secret)
	pending := b.signIn(ann)
	require.Empty(t, b.book.String(), "the code is due")
	require.Error(t, errorOf(b.people.VerifySecondStep(b.ctx(), pending.Token, b.wrongCode(secret))))
	require.NoError(t, errorOf(b.people.VerifySecondStep(b.ctx(), pending.Token, b.code(secret, 0))))
	require.Contains(t, b.book.String(), `msg="signed in" person_id=`+id)
	for range 11 {
		require.Error(t, errorOf(b.people.SignIn(b.ctx(), ann, wrongPassword, "")))
	}
	require.Error(t, errorOf(b.people.SignIn(b.ctx(), "typed password", wrongPassword, "")))
	require.Equal(t, 11, strings.Count(b.book.String(), `msg="sign-in failed" reason=wrong_password`))
	require.Equal(t, 1, strings.Count(b.book.String(), `reason=wrong_code person_id=`+id))
	require.Regexp(t, `msg="sign-in failed" until=\S+ reason=locked person_id=`+id, b.book.String())
	require.NotContains(t, b.book.String(), "typed password")
}
