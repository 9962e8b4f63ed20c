package identity_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
)

const (
	password = "correct horse battery"
	secret   = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
)

// passwordHash is made once: it is made to be slow.
var passwordHash = sync.OnceValue(func() string {
	hash, err := identity.HashPassword(password, rand.Reader)
	if err != nil {
		panic(err)
	}
	return hash
})

// firefox is whom they sign in with.
var firefox = identity.Client{Address: "192.0.2.7", UserAgent: "Firefox"}

// bundle is a database and two instances of the service on it, each with a pool of its own, as two processes have, on
// one clock that stands still until it is moved.
type bundle struct {
	*pgtest.Database
	t             *testing.T
	people, other *identity.Service
	pools         []*pgxpool.Pool // of the two
	millis        atomic.Int64
	recorded      events
}

// events are those that the services have recorded, and what recording answers.
type events struct {
	mu      sync.Mutex
	all     []identity.Event
	counted int
	refuse  error
}

// Record implements identity.Events.
func (b *bundle) Record(_ context.Context, _ pgx.Tx, e identity.Event) error {
	b.recorded.mu.Lock()
	defer b.recorded.mu.Unlock()
	if b.recorded.refuse != nil {
		return b.recorded.refuse
	}
	b.recorded.all = append(b.recorded.all, e)
	return nil
}

// Count implements identity.Events.
func (b *bundle) Count(context.Context, pgx.Tx, identity.Event) error {
	b.recorded.mu.Lock()
	defer b.recorded.mu.Unlock()
	b.recorded.counted++
	return b.recorded.refuse
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	return alone(t)
}

// alone is setup for a test beside which no other may run.
func alone(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Database: pgtest.New(t), t: t}
	b.millis.Store(time.Date(2026, 11, 21, 9, 30, 0, 123_000_000, time.UTC).UnixMilli())
	second, err := postgres.Open(t.Context(), b.URL, postgres.Options{Name: "second instance", MaxConns: 8})
	require.NoError(t, err)
	t.Cleanup(second.Close)
	b.people, b.other = identity.New(b.DB, b.now, b, slog.New(slog.DiscardHandler)), identity.New(second, b.now, b, slog.New(slog.DiscardHandler))
	b.pools = []*pgxpool.Pool{b.DB.Pool, second.Pool}
	return b
}

func (b *bundle) now() time.Time { return time.UnixMilli(b.millis.Load()).UTC() }

// pass moves the clock.
func (b *bundle) pass(d time.Duration) { b.millis.Add(d.Milliseconds()) }

func (b *bundle) ctx() context.Context { return b.t.Context() }

// exec changes the data as the owner of the tables.
func (b *bundle) exec(sql string, args ...any) {
	b.t.Helper()
	_, err := b.Owner.Pool.Exec(context.Background(), sql, args...)
	require.NoError(b.t, err)
}

// one reads one value as the owner of the tables.
func one[T any](b *bundle, sql string, args ...any) T {
	b.t.Helper()
	var v T
	require.NoError(b.t, b.Owner.Pool.QueryRow(b.ctx(), sql, args...).Scan(&v))
	return v
}

// person stores somebody with the password, and with the secret unless it is "".
func (b *bundle) person(email, secret string) string {
	b.t.Helper()
	id := uuid.NewString()
	b.exec(`insert into users (id, email, email_key, name, password_hash, totp_secret) values ($1, $2, $3, $4, $5, nullif($6, ''))`,
		id, email, identity.EmailKey(email), "Name of "+email, passwordHash(), secret)
	return id
}

// signIn gives the right password.
func (b *bundle) signIn(email string) identity.Session {
	b.t.Helper()
	session, err := b.people.SignIn(b.ctx(), email, password, firefox)
	require.NoError(b.t, err)
	return session
}

// signInFully gives the right password and code.
func (b *bundle) signInFully(email string) identity.Session {
	b.t.Helper()
	session, err := b.people.SecondStep(b.ctx(), b.signIn(email).Token, b.code(secret, 0))
	require.NoError(b.t, err)
	return session
}

// code is that of so many steps after the clock's.
func (b *bundle) code(secret string, steps int) string {
	b.t.Helper()
	code, err := totp.GenerateCode(secret, b.now().Add(time.Duration(steps)*30*time.Second))
	require.NoError(b.t, err)
	return code
}

// wrongCode is none of those that would be taken.
func (b *bundle) wrongCode(secret string) string {
	for _, code := range []string{"000000", "111111", "222222", "333333"} {
		if code != b.code(secret, -1) && code != b.code(secret, 0) && code != b.code(secret, 1) {
			return code
		}
	}
	panic("three steps have four codes")
}

// goesOn says whether the token's session does.
func (b *bundle) goesOn(token string) bool {
	b.t.Helper()
	_, err := b.other.Session(b.ctx(), token)
	if err != nil {
		require.ErrorIs(b.t, err, identity.ErrNoSession)
	}
	return err == nil
}

// atOnce does 50 deeds at once, on the two instances by turns, and returns their errors. All connections are there before:
// the first deed is not done while the others wait for theirs.
func (b *bundle) atOnce(deed func(nth int, people *identity.Service) error) []error {
	b.t.Helper()
	for _, pool := range b.pools {
		var conns []*pgxpool.Conn
		for range pool.Config().MaxConns {
			conn, err := pool.Acquire(b.ctx())
			require.NoError(b.t, err)
			conns = append(conns, conn)
		}
		for _, conn := range conns {
			conn.Release()
		}
	}
	failed := make([]error, 50)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range failed {
		all.Go(func() {
			<-start
			for range 20 {
				failed[i] = deed(i, []*identity.Service{b.people, b.other}[i%2])
				if !postgres.Unavailable(failed[i]) && !apperr.Is(failed[i], apperr.Unavailable) {
					break // on a busy machine some wait for their turn or the lock in vain: nothing was done, and they come again
				}
			}
		})
	}
	close(start)
	all.Wait()
	return failed
}

// requireLocked demands that nothing is looked at until an instant.
func requireLocked(t *testing.T, err error, until time.Time) {
	t.Helper()
	var locked *identity.LockedError
	require.ErrorAs(t, err, &locked)
	require.Equal(t, until, locked.Until)
	require.True(t, apperr.Is(err, apperr.RateLimited))
	require.Positive(t, apperr.From(err).RetryAfter)
}

// tally counts what 50 at once were answered.
func tally(t *testing.T, failed []error) (done, wrong, locked int) {
	t.Helper()
	for _, err := range failed {
		switch {
		case err == nil:
			done++
		case apperr.Is(err, apperr.RateLimited):
			locked++
		case apperr.Is(err, apperr.Validation):
			wrong++
		default:
			require.NoError(t, err)
		}
	}
	return done, wrong, locked
}

// proof is the right password, and a code.
func proof(code string) identity.Proof { return identity.Proof{Password: password, Code: code} }
