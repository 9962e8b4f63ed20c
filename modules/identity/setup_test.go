package identity_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

const (
	password      = testkit.Password
	wrongPassword = "wrong horse battery"
	newPassword   = "battery horse staple"
	totpSecret    = testkit.TOTPSecret

	annEmail = "ann@example.com"
	bobEmail = "bob@example.com"

	homeAddress = "192.0.2.7" // the address of most sign-ins
)

// fixture is a database and two instances of the service with a pool each. Only advance moves the clock.
type fixture struct {
	*testkit.World
	t                      *testing.T
	service, otherInstance *identity.Service
	clockMillis            atomic.Int64 // the clock, in milliseconds since 1970
	programLog             tb.Buffer
}

func setup(t *testing.T) *fixture {
	t.Parallel()
	return setupAlone(t)
}

// setupAnn is setup with a person annEmail. Two-step verification is on unless secret is "".
func setupAnn(t *testing.T, secret string) *fixture {
	b := setup(t)
	b.storePerson(annEmail, secret)
	return b
}

// setupAlone is setup for a test that does not run in parallel.
func setupAlone(t *testing.T) *fixture {
	b := &fixture{World: testkit.New(t), t: t}
	b.clockMillis.Store(time.Date(2026, 11, 21, 9, 30, 0, 123_000_000, time.UTC).UnixMilli())
	b.service = b.newInstance(b.DB)
	b.otherInstance = b.newInstance(pgtest.Open(t, b.URL, postgres.Options{MaxConns: 8}))
	b.service.UseCheapHashes()
	b.otherInstance.UseCheapHashes()
	return b
}

// newInstance returns an instance with hashes at their real cost.
func (b *fixture) newInstance(db *postgres.DB) *identity.Service {
	return identity.New(db, b.now, b.newRecorder(db), identity.Keyring{})
}

func (b *fixture) newRecorder(db *postgres.DB) identity.Recorder {
	return identity.Recorder{
		// tests of the assembled program cover these audit entries
		OrganisationIDsOf: func(*gorm.DB, string) ([]string, error) { return nil, nil },
		Audit:             audit.New(db),
		Log:               b.programLog.Logger(),
		OnFailedSignIn:    func(string) {},
	}
}

func (b *fixture) newOperator(db *postgres.DB) identity.Operator {
	return identity.Operator{DB: db, Now: b.now, Recorder: b.newRecorder(db)}
}

func (b *fixture) now() time.Time { return time.UnixMilli(b.clockMillis.Load()).UTC() }

func (b *fixture) advance(d time.Duration) { b.clockMillis.Add(d.Milliseconds()) }

func (b *fixture) ctx() context.Context { return b.contextFrom(homeAddress) }

func (b *fixture) contextFrom(address string) context.Context {
	return identity.WithRequest(b.t.Context(), audit.Request{Address: address})
}

func (b *fixture) storePerson(email, secret string) string {
	return b.AddPerson(testkit.Person{Email: email, TOTPSecret: secret}).ID
}

func (b *fixture) signIn(email string) identity.Session {
	return tb.Must(b.service.SignIn(b.ctx(), email, password, ""))(b.t)
}

func (b *fixture) code(secret string, stepOffset int) string {
	return testkit.TOTPCode(b.t, secret, b.now().Add(time.Duration(stepOffset)*30*time.Second))
}

func (b *fixture) wrongCode(secret string) string {
	for _, code := range []string{"000000", "111111", "222222", "333333"} {
		if code != b.code(secret, -1) && code != b.code(secret, 0) && code != b.code(secret, 1) {
			return code
		}
	}
	panic("three steps have four codes")
}

func (b *fixture) isActive(token string) bool {
	_, err := b.otherInstance.Session(b.ctx(), token)
	if err != nil {
		require.ErrorIs(b.t, err, identity.ErrNoSession)
	}
	return err == nil
}

const concurrency = 50

// countResults runs fn 50 times concurrently, on both instances in turn. It counts success, wrong, locked.
func (b *fixture) countResults(fn func(i int, instance *identity.Service) error) (counts [3]int) {
	errs := make([]error, concurrency)
	testkit.Concurrently(concurrency, func(i int) {
		for range 20 {
			errs[i] = fn(i, []*identity.Service{b.service, b.otherInstance}[i%2])
			if !postgres.IsUnavailable(errs[i]) && !apperr.Is(errs[i], apperr.Unavailable) {
				break // otherwise fn timed out on a busy machine and changed nothing: retry
			}
		}
	})
	for _, err := range errs {
		switch {
		case err == nil:
			counts[0]++
		case apperr.Is(err, apperr.RateLimited):
			counts[2]++
		default:
			require.True(b.t, apperr.Is(err, apperr.Validation) || apperr.Is(err, apperr.NotFound) ||
				apperr.Is(err, apperr.AuthRequired), "%v", err)
			counts[1]++
		}
	}
	return counts
}

func requireLocked(t *testing.T, err error, until time.Time) {
	var locked *identity.LockedError
	require.ErrorAs(t, err, &locked)
	require.Equal(t, until, locked.Until)
	require.True(t, apperr.Is(err, apperr.RateLimited))
	require.Positive(t, apperr.From(err).RetryAfter)
}

func proof(code string) identity.Proof { return identity.Proof{Password: password, Code: code} }

func (b *fixture) trySignIn(email, password, address string) error {
	return tb.ErrorOf(b.otherInstance.SignIn(b.contextFrom(address), email, password, ""))
}

func (b *fixture) verifyCode(session identity.Session, code string) error {
	return tb.ErrorOf(b.otherInstance.VerifySecondStep(b.ctx(), session.Token, code))
}

func (b *fixture) changePassword(session identity.Session, proof identity.Proof) error {
	return tb.ErrorOf(b.service.ChangePassword(b.ctx(), session.Token, proof, newPassword))
}

func (b *fixture) requireFailures(times int, want error, fn func() error) {
	for i := range times {
		require.Equal(b.t, want, fn(), "%d", i)
	}
}
