package identity_test

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

func (b *fixture) changePasswordFrom(address string, session identity.Session, current string) error {
	proof := identity.Proof{Password: current}
	return tb.ErrorOf(b.service.ChangePassword(b.contextFrom(address), session.Token, proof, newPassword))
}

// A new password ends the person's other sessions. The session that changes it continues under a new token.
func TestNewPasswordEndsOtherSessions(t *testing.T) {
	b := setupAnn(t, "")
	b.storePerson(bobEmail, "")
	session, otherSession := b.signIn(annEmail), b.signIn(annEmail)
	bobSession := b.signIn(bobEmail)
	b.advance(time.Minute)
	renewed := tb.Must(b.service.ChangePassword(b.ctx(), session.Token, proof(""), newPassword))(t)
	require.Equal(t, b.now(), *renewed.Person.PasswordSince)
	require.Equal(t, session.StartedAt, renewed.StartedAt)
	for token, active := range map[string]bool{
		renewed.Token: true, bobSession.Token: true, session.Token: false, otherSession.Token: false,
	} {
		require.Equal(t, active, b.isActive(token))
	}
	require.ErrorIs(t, b.trySignIn(annEmail, password, homeAddress), identity.ErrWrongPassword)
	require.NoError(t, b.trySignIn(annEmail, newPassword, homeAddress))
	_, err := b.service.ChangePassword(b.ctx(), renewed.Token, identity.Proof{}, "eleven char")
	require.Equal(t, "new", apperr.From(err).Field, "before the current password is compared")
	require.ErrorIs(t, b.changePassword(session, identity.Proof{Password: newPassword}), identity.ErrNoSession)
}

// Wrong passwords in a stolen session lock only the thief's network, until five locked networks lock the account.
func TestThiefOfASessionLocksTheirOwnNetworkOnly(t *testing.T) {
	b := setupAnn(t, "")
	stolenSession, ownSession := b.signIn(annEmail), b.signIn(annEmail)
	guess := func(network int) {
		b.requireFailures(10, identity.ErrWrongPassword, func() error {
			return b.changePasswordFrom(fmt.Sprintf("2001:db8:0:%x::1", network), stolenSession, wrongPassword)
		})
	}
	for network := range 4 {
		guess(network)
	}
	requireLocked(t, b.changePasswordFrom("2001:db8::2", stolenSession, password), b.now().Add(10*time.Minute))
	require.NoError(t, b.changePasswordFrom("192.0.2.1", ownSession, password))
	require.False(t, b.isActive(stolenSession.Token))

	b.Exec(`update users set password_hash = $1`, testkit.PasswordHash)
	b.advance(10 * time.Minute)
	stolenSession = b.signIn(annEmail)
	for network := range 5 {
		b.advance(time.Second)
		guess(network)
	}
	requireLocked(t, b.trySignIn(annEmail, password, homeAddress), b.now().Add(10*time.Minute))
	requireLocked(t, b.trySignIn(annEmail, password, "2001:db8::2"), b.now().Add(10*time.Minute)) // the thief's network
	b.advance(10 * time.Minute)
	b.signIn(annEmail)
}

// agePassword sets the session's last password entry to age ago, by the database's clock.
func (b *fixture) agePassword(session identity.Session, age string) {
	b.Exec(`update sessions set authenticated_at = now() - $2::interval where token_hash = sha256($1)`,
		[]byte(session.Token), age)
}

func (b *fixture) reauthenticate(session identity.Session, proof identity.Proof) error {
	return b.otherInstance.Reauthenticate(b.ctx(), session.Token, proof)
}

// rules.md, Keys: a session requires the password again 15 minutes after the last entry, by the database's clock.
func TestPasswordIsDueAfterFifteenMinutes(t *testing.T) {
	b := setupAnn(t, "")
	session := b.signIn(annEmail)
	otherSession := b.signIn(annEmail)
	noProof := identity.Proof{}
	wrongProof := identity.Proof{Password: wrongPassword}
	b.advance(time.Hour)
	require.NoError(t, b.reauthenticate(session, noProof), "the instance's clock does not count")
	b.agePassword(session, "14 minutes 50 seconds")
	require.NoError(t, b.reauthenticate(session, wrongProof), "it is not looked at")

	b.agePassword(session, "15 minutes 1 second")
	b.agePassword(otherSession, "15 minutes 1 second")
	require.Equal(t, identity.ErrWrongPassword, b.reauthenticate(session, wrongProof))
	require.Equal(t, identity.ErrPasswordDue, b.reauthenticate(session, noProof))
	require.NoError(t, b.reauthenticate(session, proof("")))
	require.NoError(t, b.reauthenticate(session, noProof))
	require.Equal(t, identity.ErrPasswordDue, b.reauthenticate(otherSession, noProof), "another session of the person")

	b.agePassword(session, "-1 minute")
	require.Equal(t, identity.ErrPasswordDue, b.reauthenticate(session, noProof), "in the future")
	changedSession := tb.Must(b.service.ChangePassword(b.ctx(), session.Token, proof(""), newPassword))(t)
	require.NoError(t, b.reauthenticate(changedSession, noProof), "it was entered for the change")
	require.NoError(t, b.service.SignOut(b.ctx(), changedSession.Token))
	require.Equal(t, identity.ErrNoSession, b.reauthenticate(changedSession, noProof))
}

// Two-step verification requires an unused code. Concurrent submits succeed: the first one makes the session fresh.
func TestReauthenticationRequiresACode(t *testing.T) {
	b := setup(t)
	secret, codes, session := b.enrolPerson(annEmail)
	b.agePassword(session, "1 hour")
	for _, wrong := range []string{"", b.wrongCode(secret), b.code(secret, -2)} {
		require.Equal(t, identity.ErrWrongCode, b.reauthenticate(session, proof(wrong)), wrong)
	}
	for _, right := range []string{b.code(secret, 1), codes[0]} {
		wrong := identity.Proof{Password: wrongPassword, Code: right}
		require.Equal(t, identity.ErrWrongPassword, b.reauthenticate(session, wrong))
		require.NoError(t, b.reauthenticate(session, proof(right)))
		b.agePassword(session, "1 hour")
		require.Equal(t, identity.ErrWrongCode, b.reauthenticate(session, proof(right)), "used")
	}
	b.Exec(`delete from password_guesses`)
	done := make(chan error)
	for range 3 {
		go func() { done <- b.reauthenticate(session, proof(codes[1])) }()
	}
	for range 3 {
		require.NoError(t, <-done)
	}
	require.Zero(t, testkit.Query[int](b.World, `select sum(wrong) from password_guesses`))
	require.Equal(t, len(codes)-2, b.recoveryCodesLeft(session))
}

// Changes with a Proof require its password, and all but BeginTwoStep its code. They share counts of wrong attempts.
func TestChangesRequirePasswordAndCode(t *testing.T) {
	b := setup(t)
	secret, _, session := b.enrolPerson(annEmail)
	b.agePassword(session, "1 hour")
	changes := []func(identity.Proof) error{
		func(proof identity.Proof) error { return b.changePassword(session, proof) },
		func(proof identity.Proof) error {
			return tb.ErrorOf(b.service.TurnOffTwoStep(b.ctx(), session.Token, proof))
		},
		func(proof identity.Proof) error { return b.reauthenticate(session, proof) },
		func(proof identity.Proof) error {
			return tb.ErrorOf2(b.service.ReplaceRecoveryCodes(b.ctx(), session.Token, proof))
		},
		func(proof identity.Proof) error {
			return tb.ErrorOf(b.service.BeginTwoStep(b.ctx(), session.Token, proof))
		},
	}
	requireRefusals := func(changes []func(identity.Proof) error, wrongProof identity.Proof, want error) {
		for i := range 10 {
			require.Equal(t, want, changes[i%len(changes)](wrongProof), "%d", i)
		}
		for i, change := range changes {
			err := change(proof(b.code(secret, 0)))
			require.True(t, apperr.Is(err, apperr.RateLimited), "%d: %v", i, err)
		}
	}
	wrongProof := identity.Proof{Password: wrongPassword, Code: b.code(secret, 0)}
	requireRefusals(changes, wrongProof, identity.ErrWrongPassword)
	b.advance(10 * time.Minute)
	requireRefusals(changes[:4], proof(b.wrongCode(secret)), identity.ErrWrongCode)
	b.advance(time.Hour)
	require.Equal(t, identity.ErrPasswordDue, b.reauthenticate(session, identity.Proof{}))
	require.NoError(t, b.changePassword(session, proof(b.code(secret, 0))))
}

// beginReset creates a reset as the owner of the tables, like dg account reset.
func (b *fixture) beginReset(email string) identity.Reset {
	return tb.Must(b.newOperator(b.Owner).BeginReset(b.ctx(), email))(b.t)
}

// A reset requires neither password nor code. It ends the person's sessions and the browser's session.
func TestResetReplacesPasswordAndTurnsOffTwoStep(t *testing.T) {
	b := setup(t)
	secret, _, session := b.enrolPerson("Ann@example.com")
	pending := b.signIn(annEmail)
	b.requireFailures(10, identity.ErrWrongCode, func() error { return b.verifyCode(pending, b.wrongCode(secret)) })
	b.storePerson(bobEmail, "")
	bobSession := b.signIn(bobEmail)
	reset := b.beginReset("ANN@example.com")
	require.Equal(t, "Ann@example.com", reset.Person.Email)
	require.True(t, b.isActive(session.Token), "only its use ends sessions")
	for _, weak := range []string{"short", "password1234"} {
		require.Equal(t, "new", apperr.From(b.service.ResetPassword(b.ctx(), reset.Token, weak, "")).Field, weak)
	}
	const office = "192.0.2.9" // wrong passwords lock this network, but not home
	b.requireFailures(10, identity.ErrWrongPassword,
		func() error { return b.trySignIn(annEmail, wrongPassword, office) })
	require.NoError(t, b.service.ResetPassword(b.ctx(), reset.Token, newPassword, ""))
	require.NoError(t, b.trySignIn(annEmail, newPassword, office), "a reset restores access")
	require.False(t, b.isActive(session.Token))
	require.True(t, b.isActive(bobSession.Token))
	require.Zero(t, b.CountRows(`recovery_codes`))
	require.ErrorIs(t, b.service.ResetPassword(b.ctx(), reset.Token, password, ""), identity.ErrNoReset)
	renewed := tb.Must(b.service.SignIn(b.ctx(), annEmail, newPassword, ""))(t)
	require.False(t, renewed.SecondStepDue)
	require.Equal(t, b.now(), *renewed.Person.PasswordSince)
	require.NoError(t, b.service.ResetPassword(b.ctx(), b.beginReset(annEmail).Token, password, bobSession.Token))
	require.False(t, b.isActive(bobSession.Token))
}

// A reset lasts 30 minutes. A newer reset or a new password voids it. Only the owner of the tables creates one.
func TestResetExpires(t *testing.T) {
	b := setupAnn(t, "")
	_, err := b.newOperator(b.Owner).BeginReset(b.ctx(), "nobody@example.com")
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.ErrorContains(t, tb.ErrorOf(b.newOperator(b.DB).BeginReset(b.ctx(), annEmail)), "permission denied")

	usedReset := b.beginReset(annEmail)
	require.Equal(t, [3]int{1, 49, 0}, b.countResults(func(_ int, instance *identity.Service) error {
		return instance.ResetPassword(b.ctx(), usedReset.Token, newPassword, "")
	}), "it works once over two instances")

	first, second := b.beginReset(annEmail), b.beginReset(annEmail)
	require.Equal(t, 1, b.CountRows(`account_resets where token_hash = sha256($1)`, []byte(second.Token)))
	b.advance(30*time.Minute - time.Millisecond)
	require.Equal(t, second.Person, tb.Must(b.service.PersonOfReset(b.ctx(), second.Token))(t))
	b.advance(time.Millisecond)
	third := b.beginReset(annEmail)
	b.Exec(`update users set password_hash = 'another'`)
	for _, token := range []string{"", usedReset.Token, first.Token, second.Token, third.Token} {
		require.ErrorIs(t, tb.ErrorOf(b.service.PersonOfReset(b.ctx(), token)), identity.ErrNoReset)
		require.ErrorIs(t, b.service.ResetPassword(b.ctx(), token, newPassword, ""), identity.ErrNoReset)
	}
}

// An upgrade rewrites e-mail keys. CheckEmails names e-mails that no form accepts, or whose key another person has.
func TestEmailKeysAreRewrittenOrReported(t *testing.T) {
	b := setup(t)
	for _, email := range []string{
		"ann@bücher.example", "bob@example.org ", "cy@faß.example", "cy@xn--fa-hia.example", "jürgen@example.org",
	} {
		b.AddPerson(testkit.Person{Email: email, Name: email}) // stored with the e-mail key of version 1.0.0
	}
	for range 2 {
		require.NoError(t, identity.RewriteEmailKeys(b.ctx(), b.Owner))
	}
	for _, sent := range []string{"ann@xn--bcher-kva.example", "bob@example.org"} {
		require.NoError(t, tb.ErrorOf(b.service.SignIn(b.ctx(), sent, password, "")), sent)
	}
	warnings := tb.Must(identity.CheckEmails(b.ctx(), b.DB))(t)
	require.Len(t, warnings, 2)
	allWarnings := warnings[0] + warnings[1]
	for _, named := range regexp.MustCompile(`has the e-mail ("[^"]*") of account (\S+)`).FindAllStringSubmatch(allWarnings, -1) {
		person := tb.Must(identity.NamedPersonIn(b.Owner.Gorm, tb.Must(strconv.Unquote(named[1]))(t)))(t)
		require.Equal(t, named[2], person.ID, "the advised deletion deletes the account in the warning")
	}
	require.Regexp(t, `another account has the e-mail "cy@(faß|xn--fa-hia)\.example"`, allWarnings)
	require.Contains(t, allWarnings, `no sign-in form takes the e-mail "jürgen@example.org"`)
}
