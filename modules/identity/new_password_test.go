package identity_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/platform/apperr"
)

// changeFrom changes the password, given the current one, from an address.
func (b *bundle) changeFrom(address string, of identity.Session, current string) error {
	ctx := identity.WithRequest(b.ctx(), audit.Request{Address: address})
	_, err := b.people.ChangePassword(ctx, of.Token, identity.Proof{Password: current}, replacement)
	return err
}

// The session of the change continues under a new token. Sessions of other people continue.
func TestNewPasswordEndsOtherSessions(t *testing.T) {
	b := setup(t)
	b.person(ann, "")
	b.person(bob, "")
	session := b.signIn(ann)
	other := b.signIn(ann)
	bobs := b.signIn(bob)
	b.pass(time.Minute)
	renewed, err := b.people.ChangePassword(b.ctx(), session.Token, proof(""), replacement)
	require.NoError(t, err)
	require.Equal(t, b.now(), *renewed.Person.PasswordSince)
	require.Equal(t, session.StartedAt, renewed.StartedAt)
	for token, active := range map[string]bool{
		renewed.Token: true, bobs.Token: true, session.Token: false, other.Token: false,
	} {
		require.Equal(t, active, b.isActive(token))
	}
	require.ErrorIs(t, b.try(ann, password, home), identity.ErrWrongPassword)
	require.NoError(t, b.try(ann, replacement, home))
	_, err = b.people.ChangePassword(b.ctx(), renewed.Token, identity.Proof{}, "eleven char")
	require.Equal(t, "new", apperr.From(err).Field, "before the current password is compared")
	require.ErrorIs(t, b.change(session, identity.Proof{Password: replacement}),
		identity.ErrNoSession)
}

// A thief with a stolen cookie locks the account for their network, and the person changes the
// password from another. Five networks lock it for all.
func TestStolenSessionDoesNotKeepItsPersonFromAChange(t *testing.T) {
	b := setup(t)
	b.person(ann, "")
	stolen := b.signIn(ann)
	own := b.signIn(ann)
	guess := func(network int) {
		b.fail(10, identity.ErrWrongPassword, func() error {
			return b.changeFrom(fmt.Sprintf("2001:db8:0:%x::1", network), stolen, wrongPassword)
		})
	}
	for network := range 4 {
		guess(network)
	}
	until := b.now().Add(10 * time.Minute)
	requireLocked(t, b.changeFrom("2001:db8::2", stolen, password), until)
	require.NoError(t, b.changeFrom("192.0.2.1", own, password))
	require.False(t, b.isActive(stolen.Token))

	b.Exec(`update users set password_hash = $1`, identity.CheapHash(password))
	b.pass(10 * time.Minute)
	stolen = b.signIn(ann)
	for network := range 5 {
		guess(network)
	}
	requireLocked(t, b.try(ann, password, home), b.now().Add(10*time.Minute))
	b.pass(10 * time.Minute)
	b.signIn(ann)
}
