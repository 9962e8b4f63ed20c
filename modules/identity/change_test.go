package identity_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/importer"
	"dg/platform/apperr"
)

// Sessions end on a change of the password: all others; this one goes on under another token.
func TestPasswordIsChanged(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	b.person("bob@example.com", "")
	session, other, bob := b.signIn("ann@example.com"), b.signIn("ann@example.com"), b.signIn("bob@example.com")
	b.pass(time.Minute)
	renewed, err := b.people.ChangePassword(b.ctx(), session.Token, identity.Proof{Password: password}, replacement)
	require.NoError(t, err)
	require.Equal(t, b.now(), *renewed.Person.PasswordSince)
	require.Equal(t, session.StartedAt, renewed.StartedAt)
	require.True(t, b.isActive(renewed.Token))
	require.False(t, b.isActive(session.Token))
	require.False(t, b.isActive(other.Token))
	require.True(t, b.isActive(bob.Token), "other people's go on")

	_, err = b.people.SignIn(b.ctx(), "ann@example.com", password, firefox)
	require.ErrorIs(t, err, identity.ErrWrongPassword)
	_, err = b.other.SignIn(b.ctx(), "ann@example.com", replacement, firefox)
	require.NoError(t, err)
	_, err = b.people.ChangePassword(b.ctx(), session.Token, identity.Proof{Password: replacement}, password)
	require.ErrorIs(t, err, identity.ErrNoSession)
}

// The old password is guessed at as little as at the sign-in, and counted apart from it: who guesses there does not keep
// somebody who is signed in from a change.
func TestTheOldPasswordMustBeRight(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	session := b.signIn("ann@example.com")
	for range 10 {
		_, err := b.people.ChangePassword(b.ctx(), session.Token, identity.Proof{Password: replacement}, replacement)
		require.Equal(t, identity.ErrWrongPassword, err)
		_, err = b.people.SignIn(b.ctx(), "ann@example.com", replacement, firefox)
		require.Equal(t, identity.ErrWrongPassword, err)
	}
	_, err := b.people.ChangePassword(b.ctx(), session.Token, identity.Proof{Password: password}, replacement)
	requireLocked(t, err, b.now().Add(10*time.Minute))
	b.pass(10 * time.Minute)
	for range 10 {
		_, err := b.people.SignIn(b.ctx(), "ann@example.com", replacement, firefox)
		require.Equal(t, identity.ErrWrongPassword, err)
	}
	_, err = b.people.ChangePassword(b.ctx(), session.Token, identity.Proof{Password: password}, replacement)
	require.NoError(t, err)
}

// With stolen sessions of many people an address guesses at no more passwords than at the sign-in; those who guess there do
// not use it up.
func TestPasswordsInSessionsAreCountedByAddress(t *testing.T) {
	b := setup(t)
	change := func(token, password, address string) error {
		ctx := identity.WithRequest(b.ctx(), audit.Request{Address: address})
		_, err := b.people.ChangePassword(ctx, token, identity.Proof{Password: password}, replacement)
		return err
	}
	for range 20 {
		_, err := b.people.SignIn(b.ctx(), "nobody"+uuid.NewString()+"@example.com", replacement, identity.Client{Address: "2001:db8::1"})
		require.Equal(t, identity.ErrWrongPassword, err)
	}
	var tokens []string
	for i := range 4 {
		email := fmt.Sprintf("person%d@example.com", i)
		b.person(email, "")
		tokens = append(tokens, b.signIn(email).Token)
	}
	for i := range 20 {
		require.Equal(t, identity.ErrWrongPassword, change(tokens[i%3], replacement, fmt.Sprintf("2001:db8::%x", i+1)))
		if i == 10 {
			require.NoError(t, change(tokens[3], password, "2001:db8::a"), "a right one does not clear the count")
		}
	}
	until := b.now().Add(10 * time.Minute)
	for _, tried := range []string{replacement, password} {
		requireLocked(t, change(tokens[0], tried, "2001:db8::ff"), until)
	}
	require.NoError(t, change(tokens[1], password, "2001:db8:0:1::1"), "from elsewhere")
	requireLocked(t, change(tokens[2], password, "2001:db8::ff"), until)
	b.pass(10 * time.Minute)
	require.NoError(t, change(tokens[2], password, "2001:db8::ff"))
}

// At least 12 characters, at most 1,000 bytes, no rules of composition; the same from every keyboard.
func TestNewPasswords(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	session, current := b.signIn("ann@example.com"), password
	for _, refused := range []string{"", "eleven char", strings.Repeat("é", 11), strings.Repeat("e\u0301", 11), strings.Repeat("a", 1001), strings.Repeat("€", 334), strings.Repeat("\xff", 20)} {
		_, err := b.people.ChangePassword(b.ctx(), session.Token, identity.Proof{Password: current}, refused)
		require.True(t, apperr.Is(err, apperr.Validation), "%q", refused)
		require.Equal(t, "new", apperr.From(err).Field)
		require.True(t, b.isActive(session.Token))
	}
	for _, taken := range []string{"twelve chars", "😀😁😂🤣😃😄😅😆😉😊😋😎", strings.Repeat("a", 987) + "battery horse", "e\u0301xe\u0301ye\u0301ze\u0301we\u0301ve\u0301u", "with\x00a NUL in it"} {
		renewed, err := b.people.ChangePassword(b.ctx(), session.Token, identity.Proof{Password: current}, taken)
		require.NoError(t, err, "%q", taken)
		session, current = renewed, taken
		_, err = b.people.SignIn(b.ctx(), "ann@example.com", taken, firefox)
		require.NoError(t, err, "%q", taken)
	}
	_, err := b.people.ChangePassword(b.ctx(), session.Token, identity.Proof{Password: current}, "Zoe\u0308 and friends")
	require.NoError(t, err)
	_, err = b.people.SignIn(b.ctx(), "ann@example.com", "Zo\u00eb and friends", firefox)
	require.NoError(t, err, "composed or decomposed")
}

// Of 50 changes at once one is made; the others gave a password that no longer is the person's, in sessions that ended.
func TestThePasswordIsChangedOnceUnderFiftyAtOnce(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	var sessions [50]identity.Session
	for i := range sessions {
		sessions[i] = b.signIn("ann@example.com")
	}
	done := 0
	for _, err := range b.concurrently(func(nth int, people *identity.Service) error {
		_, err := people.ChangePassword(b.ctx(), sessions[nth].Token, identity.Proof{Password: password}, replacement)
		return err
	}) {
		if err == nil {
			done++
		}
	}
	require.Equal(t, 1, done)
	require.Equal(t, 1, one[int](b, `select count(*) from sessions`))
}

// A password that is changed while somebody signs in with it signs nobody in.
func TestNoSessionOutlivesThePasswordItCameFrom(t *testing.T) {
	b := setup(t)
	id := b.person("ann@example.com", "")
	changed, err := identity.HashPassword(replacement, zeros{})
	require.NoError(t, err)
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
	b.waitForLock() // with a password that was right
	require.NoError(t, tx.Commit(b.ctx()))
	require.Equal(t, identity.ErrWrongPassword, <-signedIn)
	require.Zero(t, one[int](b, `select count(*) from sessions`))
}

// A session that ends while a deed in it waits for its turn does not come back with a new token.
func TestASessionThatEndedDoesNotComeBack(t *testing.T) {
	b := setup(t)
	id := b.person("ann@example.com", secret)
	due, full := b.signIn("ann@example.com"), b.signInFully("ann@example.com")
	b.pass(time.Minute)
	for name, deed := range map[string]func() (identity.Session, error){
		"second step": func() (identity.Session, error) {
			return b.people.VerifySecondStep(b.ctx(), due.Token, b.code(secret, 0))
		},
		"turning off": func() (identity.Session, error) {
			return b.people.TurnOffTwoStep(b.ctx(), full.Token, proof(b.code(secret, 1)))
		},
		"password": func() (identity.Session, error) {
			return b.people.ChangePassword(b.ctx(), full.Token, proof(b.code(secret, 1)), replacement)
		},
	} {
		tx, err := b.Owner.Pool.Begin(b.ctx())
		require.NoError(t, err)
		defer tx.Rollback(context.Background())
		_, err = tx.Exec(b.ctx(), `select from users where id = $1 for update`, id)
		require.NoError(t, err)
		done := make(chan error, 1)
		go func() {
			_, err := deed()
			done <- err
		}()
		b.waitForLock()
		_, err = tx.Exec(b.ctx(), `delete from sessions`)
		require.NoError(t, err)
		require.NoError(t, tx.Commit(b.ctx()))
		require.ErrorIs(t, <-done, identity.ErrNoSession, name)
		require.Zero(t, one[int](b, `select count(*) from sessions`), name)
		due, full = b.signIn("ann@example.com"), b.signInFully("ann@example.com")
		b.pass(time.Minute)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// An import that changes a password or two-step secret ends that person's sessions; one that does not leaves them.
func TestImportsEndSessions(t *testing.T) {
	b := setup(t)
	hash, err := identity.HashPassword(password, zeros{})
	require.NoError(t, err)
	other, err := identity.HashPassword(replacement, zeros{})
	require.NoError(t, err)
	user := func(id, email string) map[string]any {
		return map[string]any{"type": "user", "id": id, "email": email, "name": "A", "passwordHash": hash, "totpSecret": secret}
	}
	ann := user("00000000-0000-4000-8000-00000000000a", "ann@example.com")
	bob := user("00000000-0000-4000-8000-00000000000b", "bob@example.com")
	b.take(ann, bob)
	for _, change := range []struct {
		field string
		value any
		ends  bool
	}{
		{"name", "Ann", false},
		{"email", "Ann@example.com", false},
		{"passwordHash", other, true},
		{"totpSecret", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", true},
		{"totpSecret", nil, true},
		{"passwordHash", nil, true},
	} {
		ann["passwordHash"], ann["totpSecret"] = hash, secret
		b.take(ann)
		b.Exec(`update users set totp_last_step = null, totp_since = now(), password_since = now()`)
		session, bobs := b.signInFully("ann@example.com"), b.signInFully("bob@example.com")
		due := b.signIn("ann@example.com")
		ann[change.field] = change.value
		b.take(ann, bob)
		require.Equal(t, !change.ends, b.isActive(session.Token), "%v", change)
		require.Equal(t, !change.ends, b.isActive(due.Token), "%v", change)
		require.True(t, b.isActive(bobs.Token))
		require.Equal(t, change.field == "totpSecret", one[bool](b, `select totp_since is null and totp_last_step is null from users where name <> 'A'`), "%v", change)
		require.Equal(t, change.field == "passwordHash", one[bool](b, `select password_since is null from users where name <> 'A'`), "%v", change)
	}
}

// take imports users.
func (b *bundle) take(users ...map[string]any) {
	b.t.Helper()
	b.takeWith(identity.Keyring{}, users...)
}

func (b *bundle) takeWith(keys identity.Keyring, users ...map[string]any) {
	b.t.Helper()
	require.NoError(b.t, b.importing(keys, users...))
}

// importing says what an import of users answers.
func (b *bundle) importing(keys identity.Keyring, users ...map[string]any) error {
	b.t.Helper()
	input := importer.Input{Name: "users", Open: func() (io.ReadCloser, error) {
		var lines strings.Builder
		for _, u := range users {
			if err := json.NewEncoder(&lines).Encode(u); err != nil {
				return nil, err
			}
		}
		return io.NopCloser(strings.NewReader(lines.String())), nil
	}}
	_, err := importer.New(b.Owner.Pool).EncryptWith(keys).Import(b.ctx(), []importer.Input{input}, nil)
	return err
}
