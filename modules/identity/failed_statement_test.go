package identity_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/identity"
	"dg/platform/postgres"
)

var errStatement = errors.New("this statement fails")

// failing returns a service whose nth statement from now on fails, counted from 0.
func (b *bundle) failing() (people *instance, nth *int) {
	b.t.Helper()
	db, err := postgres.Open(b.ctx(), b.URL, postgres.Options{Name: "failing", MaxConns: 2})
	require.NoError(b.t, err)
	b.t.Cleanup(db.Close)
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

// changes are all that a person does to how they sign in.
var changes = map[string]func(b *bundle, people *instance) func() error{
	"sign-in": func(b *bundle, people *instance) func() error {
		b.person("ann@example.com", "")
		return func() error {
			_, err := people.SignIn(b.ctx(), "ann@example.com", password, firefox)
			return err
		}
	},
	"sign-in of a browser that is signed in": func(b *bundle,
		people *instance) func() error {
		b.person("ann@example.com", "")
		b.person("bob@example.com", "")
		client := identity.Client{Session: b.signIn("bob@example.com").Token}
		return func() error {
			session, err := people.SignIn(b.ctx(), "ann@example.com", password, client)
			require.Equal(b.t, err != nil, b.isActive(client.Session),
				"the previous session ends with the sign-in")
			require.Equal(b.t, err == nil, b.isActive(session.Token))
			return err
		}
	},
	"second step": func(b *bundle, people *instance) func() error {
		b.person("ann@example.com", secret)
		token := b.signIn("ann@example.com").Token
		return func() error {
			_, err := people.VerifySecondStep(b.ctx(), token, b.code(secret, 0))
			return err
		}
	},
	"second step with a recovery code": func(b *bundle, people *instance) func() error {
		_, codes, _ := b.enrolled("ann@example.com")
		token := b.signIn("ann@example.com").Token
		return func() error {
			_, err := people.VerifySecondStep(b.ctx(), token, codes[0])
			return err
		}
	},
	"password": func(b *bundle, people *instance) func() error {
		ann, _, session := b.enrolled("ann@example.com")
		return func() error {
			_, err := people.ChangePassword(b.ctx(), session.Token, proof(b.code(ann, 0)),
				replacement)
			return err
		}
	},
	"reauthentication": func(b *bundle, people *instance) func() error {
		_, codes, session := b.enrolled("ann@example.com")
		b.age(session, "1 hour")
		return func() error {
			return people.Reauthenticate(b.ctx(), session.Token, proof(codes[0]))
		}
	},
	"offer": func(b *bundle, people *instance) func() error {
		b.person("ann@example.com", "")
		token := b.signIn("ann@example.com").Token
		return func() error {
			_, err := people.BeginTwoStep(b.ctx(), token)
			return err
		}
	},
	"two-step verification on": func(b *bundle, people *instance) func() error {
		b.person("ann@example.com", "")
		token := b.signIn("ann@example.com").Token
		offer, err := b.people.BeginTwoStep(b.ctx(), token)
		require.NoError(b.t, err)
		return func() error {
			_, _, err := people.ConfirmTwoStep(b.ctx(), token, proof(b.code(offer.Secret, 0)))
			return err
		}
	},
	"two-step verification off": func(b *bundle, people *instance) func() error {
		ann, _, session := b.enrolled("ann@example.com")
		return func() error {
			_, err := people.TurnOffTwoStep(b.ctx(), session.Token, proof(b.code(ann, 0)))
			return err
		}
	},
	"recovery codes": func(b *bundle, people *instance) func() error {
		ann, _, session := b.enrolled("ann@example.com")
		return func() error {
			_, _, err := people.ReplaceRecoveryCodes(b.ctx(), session.Token, proof(b.code(ann, 0)))
			return err
		}
	},
	"reset": func(b *bundle, people *instance) func() error {
		b.enrolled("ann@example.com")
		reset, err := b.owner().BeginReset(b.ctx(), "ann@example.com")
		require.NoError(b.t, err)
		b.person("bob@example.com", "")
		bobs := b.signIn("bob@example.com").Token
		return func() error { return people.UseReset(b.ctx(), reset.Token, replacement, bobs) }
	},
	"sign-out": func(b *bundle, people *instance) func() error {
		b.person("ann@example.com", "")
		token := b.signIn("ann@example.com").Token
		return func() error { return people.SignOut(b.ctx(), token) }
	},
	"known browser": func(b *bundle, people *instance) func() error {
		b.person("ann@example.com", "")
		session := b.signIn("ann@example.com")
		return func() error {
			_, err := people.RememberBrowser(b.ctx(), session, "")
			return err
		}
	},
	"last use": func(b *bundle, people *instance) func() error {
		b.person("ann@example.com", "")
		token := b.signIn("ann@example.com").Token
		b.pass(time.Minute)
		return func() error {
			_, err := people.Session(b.ctx(), token)
			return err
		}
	},
}
