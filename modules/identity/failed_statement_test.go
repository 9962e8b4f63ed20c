package identity_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/identity"
	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
)

var errStatement = errors.New("this statement fails")

// failing returns a service whose nth statement from now on fails, counted from 0.
func (b *bundle) failing() (people *instance, nth *int) {
	b.t.Helper()
	db := pgtest.Open(b.t, b.URL, postgres.Options{MaxConns: 2})
	nth = new(int)
	fail := func(db *gorm.DB) {
		if !db.DryRun { // a subquery
			if *nth == 0 {
				_ = db.AddError(errStatement)
			}
			*nth--
		}
	}
	c := db.Gorm.Callback()
	require.NoError(b.t, errors.Join(
		c.Query().Before("*").Register("fail", fail), c.Row().Before("*").Register("fail", fail),
		c.Raw().Before("*").Register("fail", fail),
		c.Create().Before("*").Register("fail", fail),
		c.Update().Before("*").Register("fail", fail),
		c.Delete().Before("*").Register("fail", fail),
	))
	return b.service(db).UseCheapHashes(), nth
}

// everything is all that is stored of people, without the counts of attempts.
func (b *bundle) everything() string {
	b.t.Helper()
	return one[string](b,
		`select concat_ws(E'\n', (select string_agg(t::text, ' ' order by t::text) from users t),
		(select string_agg(t::text, ' ' order by t::text)
		  from sessions t), (select string_agg(t::text, ' ' order by t::text) from recovery_codes t),
		(select string_agg(t::text, ' ' order by t::text)
		  from known_browsers t), (select string_agg(t::text, ' ' order by t::text) from account_resets t))`)
}

// Whichever statement of a change fails, the change is not made, and is not said to be made: it
// commits with its audit entry, or not at all (doc.go, Audit).
func TestFailedStatementChangesNothing(t *testing.T) {
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			people, nth := b.failing()
			call := change(b, people)
			before := b.everything()
			for n := 0; ; n++ {
				*nth = n
				err := call()
				if *nth >= 0 {
					require.NoError(t, err)
					require.NotEqual(t, before, b.everything())
					require.GreaterOrEqual(t, n, 2)
					return
				}
				require.ErrorIs(t, err, errStatement, "statement %d", n)
				require.Equal(t, before, b.everything(), "statement %d", n)
			}
		})
	}
}

// changes are all that a person does to how they sign in. Each returns its call.
var changes = map[string]func(b *bundle, on *instance) func() error{
	"sign-in of a browser that is signed in": func(b *bundle, on *instance) func() error {
		b.person(ann, "")
		b.person(bob, "")
		client := identity.Client{Session: b.signIn(bob).Token}
		return func() error {
			session, err := on.SignIn(b.ctx(), ann, password, client)
			require.Equal(b.t, err != nil, b.isActive(client.Session),
				"the previous session ends with the sign-in")
			require.Equal(b.t, err == nil, b.isActive(session.Token))
			return err
		}
	},
	"second step": func(b *bundle, on *instance) func() error {
		b.person(ann, secret)
		pending := b.signIn(ann)
		return func() error { return second(on.VerifySecondStep(b.ctx(), pending.Token, b.code(secret, 0))) }
	},
	"second step with a recovery code": func(b *bundle, on *instance) func() error {
		_, codes, _ := b.enrolled(ann)
		pending := b.signIn(ann)
		return func() error { return second(on.VerifySecondStep(b.ctx(), pending.Token, codes[0])) }
	},
	"password": func(b *bundle, on *instance) func() error {
		secret, _, session := b.enrolled(ann)
		given := proof(b.code(secret, 0))
		return func() error { return second(on.ChangePassword(b.ctx(), session.Token, given, replacement)) }
	},
	"reauthentication": func(b *bundle, on *instance) func() error {
		_, codes, session := b.enrolled(ann)
		b.age(session, "1 hour")
		return func() error { return on.Reauthenticate(b.ctx(), session.Token, proof(codes[0])) }
	},
	"offer": func(b *bundle, on *instance) func() error {
		b.person(ann, "")
		token := b.signIn(ann).Token
		return func() error { return second(on.BeginTwoStep(b.ctx(), token)) }
	},
	"two-step verification on": func(b *bundle, on *instance) func() error {
		b.person(ann, "")
		session := b.signIn(ann)
		given := proof(b.code(b.offer(session).Secret, 0))
		return func() error {
			_, _, err := on.ConfirmTwoStep(b.ctx(), session.Token, given)
			return err
		}
	},
	"two-step verification off": func(b *bundle, on *instance) func() error {
		secret, _, session := b.enrolled(ann)
		given := proof(b.code(secret, 0))
		return func() error { return second(on.TurnOffTwoStep(b.ctx(), session.Token, given)) }
	},
	"recovery codes": func(b *bundle, on *instance) func() error {
		secret, _, session := b.enrolled(ann)
		return func() error {
			_, _, err := on.ReplaceRecoveryCodes(b.ctx(), session.Token, proof(b.code(secret, 0)))
			return err
		}
	},
	"reset": func(b *bundle, on *instance) func() error {
		b.enrolled(ann)
		reset := b.reset(ann)
		b.person(bob, "")
		bobs := b.signIn(bob).Token
		return func() error { return on.UseReset(b.ctx(), reset.Token, replacement, bobs) }
	},
	"sign-out": func(b *bundle, on *instance) func() error {
		b.person(ann, "")
		token := b.signIn(ann).Token
		return func() error { return on.SignOut(b.ctx(), token) }
	},
	"known browser": func(b *bundle, on *instance) func() error {
		b.person(ann, "")
		session := b.signIn(ann)
		return func() error { return second(on.RememberBrowser(b.ctx(), session, "")) }
	},
	"last use": func(b *bundle, on *instance) func() error {
		b.person(ann, "")
		token := b.signIn(ann).Token
		b.pass(time.Minute)
		return func() error { return second(on.Session(b.ctx(), token)) }
	},
}

// second returns the error of a call.
func second[T any](_ T, err error) error { return err }
