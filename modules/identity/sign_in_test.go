package identity_test

import (
	"context"
	"crypto/rand"
	"errors"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	passwords "dg/modules/identity/password"
	"dg/platform/testkit/fixtures"
)

func TestWrongPasswordAndUnknownEmailGetOneAnswer(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	b.Exec(`update users set password_hash = null where id = $1`, b.person("bob@example.com", ""))
	for _, c := range [][2]string{
		{"ann@example.com", wrongPassword}, {"ann@example.com", ""},
		{"ann@example.com", strings.Repeat(password, 1000)},
		{"ann@example.com", password + "\x00"}, {"bob@example.com", password},
		{"bob@example.com", ""}, {"nobody@example.com", password},
		{"", ""}, {"ann@example.com\x00", password}, {"\xff@example.com", password},
		{strings.Repeat("a", 60_000), password},
	} {
		_, err := b.people.SignIn(b.ctx(), c[0], c[1], firefox)
		require.Equal(t, identity.ErrWrongPassword, err, "%.30q", c[0])
	}
	require.Zero(t, one[int](b, `select count(*) from sessions`))
	require.Zero(t,
		one[int](b,
			`select count(*) from password_guesses
				where email_hash in (convert_to('ann@example.com', 'UTF8'),
				  convert_to('account:ann@example.com', 'UTF8'))`))
}

// The time of an answer comes from the hash. What shows that one was computed is its memory: a
// measured time would also show how busy the machine is.
func TestUnknownEmailTakesAsLongAsWrongPassword(t *testing.T) {
	b := setupAlone(t)
	people := b.service(b.DB)
	hash, err := passwords.Hash(password, rand.Reader)
	require.NoError(t, err)
	b.Person(fixtures.Person{Email: "ann@example.com", PasswordHash: hash})
	b.Exec(`update users set password_hash = null where id = $1`, b.person("bob@example.com", ""))
	signIn := func(email, password string) (allocated uint64, err error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = people.SignIn(b.ctx(), email, password, firefox)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, err
	}
	// the first statements take memory of their own
	_, _ = b.people.SignIn(b.ctx(), "ann@example.com", wrongPassword, firefox)
	for _, email := range []string{
		"ann@example.com", "bob@example.com", "nobody@example.com", "\x00",
	} {
		allocated, err := signIn(email, wrongPassword)
		require.ErrorIs(t, err, identity.ErrWrongPassword)
		require.InDelta(t, 19<<20, allocated, 2<<20, email)
	}
	for range 10 {
		_, _ = b.people.SignIn(b.ctx(), "ann@example.com", wrongPassword, firefox)
	}
	allocated, err := signIn("ann@example.com", password)
	require.Error(t, err)
	require.Less(t, allocated, uint64(2<<20), "a locked account costs nothing")
}

// The lock lasts a minute, for known and unknown e-mails, and for the right password too.
func TestTenWrongPasswordsLockAnAccount(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	b.person("bob@example.com", "")
	for i, email := range []string{"ann@example.com", "nobody@example.com"} {
		firefox := identity.Client{Address: "198.51.100." + strconv.Itoa(i)}
		for range 10 {
			_, err := b.people.SignIn(b.ctx(), email, wrongPassword, firefox)
			require.Equal(t, identity.ErrWrongPassword, err)
		}
		until := b.now().Add(time.Minute)
		for _, p := range []string{password, wrongPassword} {
			b.pass(time.Second)
			_, err := b.other.SignIn(b.ctx(), strings.ToUpper(email), p, firefox)
			requireLocked(t, err, until)
		}
		b.signIn("bob@example.com")
	}
	b.pass(time.Minute - 4*time.Second)
	_, err := b.people.SignIn(b.ctx(), "ann@example.com", wrongPassword, firefox)
	require.Error(t, err)
	b.pass(4 * time.Second)
	b.signIn("ann@example.com")
	for range 10 { // the right password cleared the count
		_, err := b.people.SignIn(b.ctx(), "ann@example.com", wrongPassword, firefox)
		require.Equal(t, identity.ErrWrongPassword, err)
	}
}

func TestWrongPasswordsOfDifferentWindowsAreNotAdded(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	session := b.signIn("ann@example.com") // a sign-in would remove the count of a window gone by
	for range 4 {
		for range 9 {
			_, err := b.people.ChangePassword(b.ctx(), session.Token,
				identity.Proof{Password: wrongPassword}, replacement)
			require.Equal(t, identity.ErrWrongPassword, err)
		}
		b.pass(10 * time.Minute)
	}
}

// Of 50 at once, on two instances, ten are compared.
func TestConcurrentWrongPasswordsAreCountedExactly(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	for _, email := range []string{"ann@example.com", "nobody@example.com"} {
		done, wrong, locked := results(t,
			b.concurrently(func(_ int, people *instance) error {
				_, err := people.SignIn(b.ctx(), email, wrongPassword, firefox)
				return err
			}))
		require.Equal(t, [3]int{0, 10, 40}, [3]int{done, wrong, locked}, email)
	}
}

// A right password is among the ten that are compared, or is refused: also when the lock begins
// while it is verified.
func TestRightPasswordIsRefusedWhenLockedMeanwhile(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	tx, err := b.Owner.Pool.Begin(b.ctx())
	require.NoError(t, err)
	defer tx.Rollback(context.Background())
	_, err = tx.Exec(b.ctx(),
		`insert into password_guesses (email_hash, wrong, ends_at) values (sha256('account:ann@example.com'), 10, $1)`,
		b.now().Add(time.Minute))
	require.NoError(t, err)
	signedIn := make(chan error, 1)
	go func() {
		_, err := b.people.SignIn(b.ctx(), "ann@example.com", password, firefox)
		signedIn <- err
	}()
	b.waitForLock()
	require.NoError(t, tx.Commit(b.ctx()))
	requireLocked(t, <-signedIn, b.now().Add(time.Minute))
	require.Zero(t, one[int](b, `select count(*) from sessions`))
}

func TestConcurrentRightPasswordsAllSignIn(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	done, _, _ := results(t, b.concurrently(func(_ int, people *instance) error {
		_, err := people.SignIn(b.ctx(), "ann@example.com", password, firefox)
		return err
	}))
	require.Equal(t, 50, done)
}

func TestErrorsContainNoSecret(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	session := b.signIn("ann@example.com")
	full := b.signInFully("ann@example.com")
	b.Exec(`revoke all on users, sessions, password_guesses from dg_app`)
	_, e1 := b.people.SignIn(b.ctx(), "ann@example.com", password, firefox)
	_, e2 := b.people.VerifySecondStep(b.ctx(), session.Token, b.code(secret, 1))
	_, e3 := b.people.ChangePassword(b.ctx(), full.Token, identity.Proof{Password: password},
		password+" new")
	_, e4 := b.people.BeginTwoStep(b.ctx(), full.Token)
	_, e5 := b.people.Session(b.ctx(), full.Token)
	failed := []error{e1, e2, e3, e4, e5, b.people.SignOut(b.ctx(), full.Token)}
	for _, err := range failed {
		require.Error(t, err)
		for _, s := range []string{
			password, secret, session.Token, full.Token, fixtures.PasswordHash, b.code(secret, 1),
		} {
			require.NotContains(t, errors.Join(failed...).Error(), s)
		}
	}
}
