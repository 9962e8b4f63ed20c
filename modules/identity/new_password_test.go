package identity_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/platform/apperr"
)

// This session continues under another token.
func TestNewPasswordEndsOtherSessions(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	b.person("bob@example.com", "")
	session := b.signIn("ann@example.com")
	other := b.signIn("ann@example.com")
	bob := b.signIn("bob@example.com")
	b.pass(time.Minute)
	renewed, err := b.people.ChangePassword(b.ctx(), session.Token,
		identity.Proof{Password: password}, replacement)
	require.NoError(t, err)
	require.Equal(t, b.now(), *renewed.Person.PasswordSince)
	require.Equal(t, session.StartedAt, renewed.StartedAt)
	require.True(t, b.isActive(renewed.Token))
	require.False(t, b.isActive(session.Token))
	require.False(t, b.isActive(other.Token))
	require.True(t, b.isActive(bob.Token), "sessions of other people continue")

	_, err = b.people.SignIn(b.ctx(), "ann@example.com", password, firefox)
	require.ErrorIs(t, err, identity.ErrWrongPassword)
	_, err = b.other.SignIn(b.ctx(), "ann@example.com", replacement, firefox)
	require.NoError(t, err)
	_, err = b.people.ChangePassword(b.ctx(), session.Token, identity.Proof{Password: replacement},
		password)
	require.ErrorIs(t, err, identity.ErrNoSession)
}

// They are counted apart from those of the sign-in: guesses there do not stop a signed-in person.
func TestWrongCurrentPasswordsAreCounted(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	session := b.signIn("ann@example.com")
	for range 10 {
		_, err := b.people.ChangePassword(b.ctx(), session.Token,
			identity.Proof{Password: replacement}, replacement)
		require.Equal(t, identity.ErrWrongPassword, err)
		_, err = b.people.SignIn(b.ctx(), "ann@example.com", replacement, firefox)
		require.Equal(t, identity.ErrWrongPassword, err)
	}
	_, err := b.people.ChangePassword(b.ctx(), session.Token, identity.Proof{Password: password},
		replacement)
	requireLocked(t, err, b.now().Add(10*time.Minute))
	b.pass(10 * time.Minute)
	for range 10 {
		_, err := b.people.SignIn(b.ctx(), "ann@example.com", replacement, firefox)
		require.Equal(t, identity.ErrWrongPassword, err)
	}
	_, err = b.people.ChangePassword(b.ctx(), session.Token, identity.Proof{Password: password},
		replacement)
	require.NoError(t, err)
}

// A thief with a copied cookie locks the session that it belongs to, and the person changes the
// password in another. Many stolen sessions together reach the bound of the person (doc.go,
// Limits).
func TestStolenSessionDoesNotKeepItsPersonFromAChange(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	address := 0
	change := func(of identity.Session, password string) error {
		from := audit.Request{Address: fmt.Sprintf("192.0.2.%d", address)}
		proof := identity.Proof{Password: password}
		_, err := b.people.ChangePassword(identity.WithRequest(b.ctx(), from), of.Token, proof,
			replacement)
		return err
	}
	guess := func(from identity.Session, times int) {
		for address++; times > 0; times-- {
			require.Equal(t, identity.ErrWrongPassword, change(from, wrongPassword))
		}
	}
	stolen := b.signIn("ann@example.com")
	guess(stolen, 10)
	requireLocked(t, change(stolen, password), b.now().Add(10*time.Minute))
	own := b.signIn("ann@example.com")
	require.NoError(t, change(own, password), "the session of the thief is locked, not the person")
	require.False(t, b.isActive(stolen.Token))

	b.Exec(`update users set password_hash = $1`, identity.CheapHash(password))
	for range 5 {
		guess(b.signIn("ann@example.com"), 10)
	}
	requireLocked(t, change(b.signIn("ann@example.com"), password), b.now().Add(10*time.Minute))
	b.pass(10 * time.Minute)
	require.NoError(t, change(b.signIn("ann@example.com"), password))
}

// With stolen sessions of many people, an address guesses no more passwords than at the sign-in.
// Wrong passwords at the sign-in do not count here.
func TestCurrentPasswordsAreCountedByAddress(t *testing.T) {
	b := setup(t)
	change := func(token, password, address string) error {
		ctx := identity.WithRequest(b.ctx(), audit.Request{Address: address})
		_, err := b.people.ChangePassword(ctx, token, identity.Proof{Password: password},
			replacement)
		return err
	}
	for range 20 {
		_, err := b.people.SignIn(b.ctx(), "nobody"+uuid.NewString()+"@example.com", replacement,
			identity.Client{Address: "2001:db8::1"})
		require.Equal(t, identity.ErrWrongPassword, err)
	}
	var tokens []string
	for i := range 4 {
		email := fmt.Sprintf("person%d@example.com", i)
		b.person(email, "")
		tokens = append(tokens, b.signIn(email).Token)
	}
	for i := range 20 {
		require.Equal(t, identity.ErrWrongPassword,
			change(tokens[i%3], replacement, fmt.Sprintf("2001:db8::%x", i+1)))
		if i == 10 {
			require.NoError(t, change(tokens[3], password, "2001:db8::a"),
				"a right password does not clear the count")
		}
	}
	until := b.now().Add(10 * time.Minute)
	for _, tried := range []string{replacement, password} {
		requireLocked(t, change(tokens[0], tried, "2001:db8::ff"), until)
	}
	require.NoError(t, change(tokens[1], password, "2001:db8:0:1::1"), "from another network")
	requireLocked(t, change(tokens[2], password, "2001:db8::ff"), until)
	b.pass(10 * time.Minute)
	require.NoError(t, change(tokens[2], password, "2001:db8::ff"))
}

// At least 12 characters, at most 1,000 bytes; the same from every keyboard.
func TestNewPasswordsAreBounded(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	session := b.signIn("ann@example.com")
	current := password
	for _, refused := range []string{
		"", "eleven char", strings.Repeat("é", 11), strings.Repeat("e\u0301", 11),
		strings.Repeat("a", 1001), strings.Repeat("€", 334), strings.Repeat("\xff", 20),
	} {
		_, err := b.people.ChangePassword(b.ctx(), session.Token, identity.Proof{Password: current},
			refused)
		require.True(t, apperr.Is(err, apperr.Validation), "%q", refused)
		require.Equal(t, "new", apperr.From(err).Field)
		require.True(t, b.isActive(session.Token))
	}
	for _, accepted := range []string{
		"twelve chars", "😀😁😂🤣😃😄😅😆😉😊😋😎", strings.Repeat("a", 987) + "battery horse",
		"e\u0301xe\u0301ye\u0301ze\u0301we\u0301ve\u0301u", "with\x00a NUL in it",
	} {
		renewed, err := b.people.ChangePassword(b.ctx(), session.Token,
			identity.Proof{Password: current}, accepted)
		require.NoError(t, err, "%q", accepted)
		session = renewed
		current = accepted
		_, err = b.people.SignIn(b.ctx(), "ann@example.com", accepted, firefox)
		require.NoError(t, err, "%q", accepted)
	}
	_, err := b.people.ChangePassword(b.ctx(), session.Token, identity.Proof{Password: current},
		"Zoe\u0308 and friends")
	require.NoError(t, err)
	_, err = b.people.SignIn(b.ctx(), "ann@example.com", "Zo\u00eb and friends", firefox)
	require.NoError(t, err, "composed or decomposed")
}

// A new password is not made of the person's name or an organisation's (doc.go, Passwords): not at
// a change, not at a reset.
func TestNewPasswordIsNotMadeOfNames(t *testing.T) {
	b := setup(t)
	id := b.person("ann@example.com", "")
	b.Exec(`update users set name = 'Zoë van Dijkstra' where id = $1`, id)
	session := b.signIn("ann@example.com")
	reset := b.reset("ann@example.com")
	for _, own := range []string{
		"AcmeAcme2026!", "acme  2026  !!", "ACME-acme-ACME-1", "4cm3-Acme-2026", "Welcome2Acme!",
		"Harbour&Vale 2026", "harbour vale logistics", "L0gistics123!", "dijkstraacme",
		"zoe.dijkstra1", "Dijkstra2026!", "van dijkstra!", "ZOËDIJKSTRA1",
	} {
		_, err := b.people.ChangePassword(b.ctx(), session.Token, proof(""), own)
		require.Equal(t, "new", apperr.From(err).Field, own)
		require.Contains(t, apperr.From(err).Message, "made of your name or your organisation’s",
			own)
		require.Equal(t, err, b.people.UseReset(b.ctx(), reset.Token, own, ""), own)
	}
	for _, accepted := range []string{"Acme buys green tea", "dijkstra walks the graph"} {
		renewed, err := b.people.ChangePassword(b.ctx(), session.Token, proof(""), accepted)
		require.NoError(t, err, accepted)
		b.Exec(`update users set password_hash = $1`, identity.CheapHash(password))
		require.False(t, b.isActive(renewed.Token))
		session = b.signIn("ann@example.com")
	}
}

// The others give a password that is no longer the person's, in sessions that have ended.
func TestConcurrentPasswordChangesSucceedOnce(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	var sessions [50]identity.Session
	for i := range sessions {
		sessions[i] = b.signIn("ann@example.com")
	}
	require.Equal(t, 1, succeeded(b.concurrently(func(nth int, people *instance) error {
		_, err := people.ChangePassword(b.ctx(), sessions[nth].Token,
			identity.Proof{Password: password}, replacement)
		return err
	})))
	require.Equal(t, 1, one[int](b, `select count(*) from sessions`))
}

func TestPasswordChangedDuringSignInSignsNobodyIn(t *testing.T) {
	b := setup(t)
	id := b.person("ann@example.com", "")
	changed := identity.CheapHash(replacement)
	tx, err := b.Owner.Pool.Begin(b.ctx())
	require.NoError(t, err)
	defer tx.Rollback(context.Background())
	_, err = tx.Exec(b.ctx(), `update users set password_hash = $2 where id = $1`, id, changed)
	require.NoError(t, err)
	signedIn := make(chan error, 1)
	go func() {
		_, err := b.people.SignIn(b.ctx(), "ann@example.com", password, firefox)
		signedIn <- err
	}()
	b.waitForLock() // after the password was verified
	require.NoError(t, tx.Commit(b.ctx()))
	require.Equal(t, identity.ErrWrongPassword, <-signedIn)
	require.Zero(t, one[int](b, `select count(*) from sessions`))
}

// With two-step verification on a code is needed as well, and wrong ones are counted.
func TestPasswordChangeTakesACode(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	session := b.signInFully("ann@example.com")
	b.pass(time.Minute)
	for range 10 {
		_, err := b.people.ChangePassword(b.ctx(), session.Token, proof(""), replacement)
		require.Equal(t, identity.ErrWrongCode, err)
	}
	_, err := b.people.ChangePassword(b.ctx(), session.Token, proof(b.code(secret, 0)), replacement)
	require.True(t, apperr.Is(err, apperr.RateLimited))
	b.pass(time.Minute)
	_, err = b.people.ChangePassword(b.ctx(), session.Token, proof(b.code(secret, 0)), replacement)
	require.NoError(t, err)
}
