package identity_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/testkit/fixtures"
)

// Sign in with e-mail, in any case, and password; sessions are in the database, of any instance.
func TestSignIn(t *testing.T) {
	b := setup(t)
	id := b.person("Ann@Example.com", "")
	session, err := b.people.SignIn(b.ctx(), "ANN@example.COM", password, firefox)
	require.NoError(t, err)
	want := identity.Person{ID: id, Name: "Name of Ann@Example.com", Email: "Ann@Example.com"}
	require.Equal(t, identity.Session{Person: want, Token: session.Token, StartedAt: b.now()}, session)
	seen, err := b.other.Session(b.ctx(), session.Token)
	require.NoError(t, err)
	require.Equal(t, session, seen)

	require.NoError(t, b.other.SignOut(b.ctx(), session.Token))
	require.False(t, b.isActive(session.Token))
	require.NoError(t, b.other.SignOut(b.ctx(), session.Token))
}

// The same answer for unknown e-mail and wrong password, whatever is sent.
func TestWrongPasswordAndUnknownEmailAreAnsweredAlike(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	b.Exec(`update users set password_hash = null where id = $1`, b.person("bob@example.com", ""))
	for _, c := range [][2]string{
		{"ann@example.com", wrongPassword}, {"ann@example.com", ""}, {"ann@example.com", strings.Repeat(password, 1000)},
		{"ann@example.com", password + "\x00"}, {"bob@example.com", password}, {"bob@example.com", ""}, {"nobody@example.com", password},
		{"", ""}, {"ann@example.com\x00", password}, {"\xff@example.com", password}, {strings.Repeat("a", 60_000), password},
	} {
		_, err := b.people.SignIn(b.ctx(), c[0], c[1], firefox)
		require.Equal(t, identity.ErrWrongPassword, err, "%.30q", c[0])
	}
	require.Zero(t, one[int](b, `select count(*) from sessions`))
	require.Zero(t, one[int](b, `select count(*) from password_guesses where email_hash in (convert_to('ann@example.com', 'UTF8'), convert_to('account:ann@example.com', 'UTF8'))`))
}

// The time of an answer comes from the hash. What shows that one was computed is its memory: a measured time would also show
// how busy the machine is.
func TestUnknownEmailTakesAsLongAsWrongPassword(t *testing.T) {
	b := setupAlone(t)
	people := b.service(b.DB)
	hash, err := identity.HashPassword(password, rand.Reader)
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
	for _, email := range []string{"ann@example.com", "bob@example.com", "nobody@example.com", "\x00"} {
		allocated, err := signIn(email, wrongPassword)
		require.ErrorIs(t, err, identity.ErrWrongPassword)
		require.InDelta(t, 19<<20, allocated, 1<<20, email)
	}
	for range 10 {
		_, _ = b.people.SignIn(b.ctx(), "ann@example.com", wrongPassword, firefox)
	}
	allocated, err := signIn("ann@example.com", password)
	require.Error(t, err)
	require.Less(t, allocated, uint64(1<<20), "a locked account costs nothing")
}

// Of a token only the hash is kept, and it is no other person's.
func TestTokensAreKeptAsHashes(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	session := b.signIn("ann@example.com")
	require.Len(t, session.Token, 43)
	hash := sha256.Sum256([]byte(session.Token))
	require.Equal(t, hash[:], one[[]byte](b, `select token_hash from sessions`))
	require.NotEqual(t, session.Token, b.signIn("ann@example.com").Token)
	for _, token := range []string{"", "x", session.Token + "=", strings.ToLower(session.Token), string(hash[:]), strings.Repeat("A", 100_000), "\x00\xff"} {
		_, err := b.people.Session(b.ctx(), token)
		require.ErrorIs(t, err, identity.ErrNoSession)
	}
}

// Sessions: 12 h idle, 24 h in all.
func TestSessionsEnd(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	idle, used := b.signIn("ann@example.com"), b.signIn("ann@example.com")
	lastUse := func(of identity.Session) time.Time {
		hash := sha256.Sum256([]byte(of.Token))
		return one[time.Time](b, `select last_used_at from sessions where token_hash = $1`, hash[:])
	}
	b.pass(59 * time.Second)
	require.True(t, b.isActive(used.Token))
	require.Equal(t, used.StartedAt, lastUse(used), "written at most once a minute")
	b.pass(time.Second)
	require.True(t, b.isActive(used.Token))
	require.Equal(t, b.now(), lastUse(used))

	b.pass(12*time.Hour - time.Minute - time.Millisecond)
	require.True(t, b.isActive(used.Token))
	b.pass(time.Millisecond)
	require.False(t, b.isActive(idle.Token), "12 h without use")
	b.pass(time.Hour)
	require.True(t, b.isActive(used.Token))
	b.pass(11*time.Hour - time.Millisecond)
	require.True(t, b.isActive(used.Token), "to the last millisecond")
	b.pass(time.Millisecond)
	require.False(t, b.isActive(used.Token), "24 h in all, though it was used")
}

// Ten wrong passwords for an e-mail within a minute make it wait a minute, known or not, and also for the right one.
func TestWrongPasswordsAreCounted(t *testing.T) {
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
	for range 10 { // the right one has begun the count anew
		_, err := b.people.SignIn(b.ctx(), "ann@example.com", wrongPassword, firefox)
		require.Equal(t, identity.ErrWrongPassword, err)
	}
}

func TestWrongPasswordsOfDifferentMinutesAreNotCountedTogether(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	session := b.signIn("ann@example.com") // a sign-in would remove the count of a window gone by
	for range 4 {
		for range 9 {
			_, err := b.people.ChangePassword(b.ctx(), session.Token, identity.Proof{Password: wrongPassword}, replacement)
			require.Equal(t, identity.ErrWrongPassword, err)
		}
		b.pass(10 * time.Minute)
	}
}

// The count is exact over all instances: of 50 at once ten are looked at.
func TestFiftyWrongPasswordsAtOnce(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	for _, email := range []string{"ann@example.com", "nobody@example.com"} {
		done, wrong, locked := results(t, b.concurrently(func(_ int, people *identity.Service) error {
			_, err := people.SignIn(b.ctx(), email, wrongPassword, firefox)
			return err
		}))
		require.Equal(t, [3]int{0, 10, 40}, [3]int{done, wrong, locked}, email)
	}
}

// A right password is among the ten, or is not looked at: also when the ten are made while it is verified.
func TestARightPasswordAfterTenWrongOnesAtOnce(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	tx, err := b.Owner.Pool.Begin(b.ctx())
	require.NoError(t, err)
	defer tx.Rollback(context.Background())
	_, err = tx.Exec(b.ctx(), `insert into password_guesses (email_hash, wrong, ends_at) values (sha256('account:ann@example.com'), 10, $1)`, b.now().Add(time.Minute))
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

// Many may sign in as one person at once.
func TestFiftyRightPasswordsAtOnce(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	done, _, _ := results(t, b.concurrently(func(_ int, people *identity.Service) error {
		_, err := people.SignIn(b.ctx(), "ann@example.com", password, firefox)
		return err
	}))
	require.Equal(t, 50, done)
}

// Tables are bounded: what has ended goes with the next sign-ins, once a second, and a person has at most 100 sessions.
func TestWhatHasEndedIsRemoved(t *testing.T) {
	b := setup(t)
	id := b.person("ann@example.com", "")
	b.Exec(`insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at, second_step_due, address, user_agent)
		select sha256(n::text::bytea), $1, $2, $2, $2, false, '', '' from generate_series(1, 1050) n`, id, b.now())
	b.Exec(`insert into password_guesses (email_hash, wrong, ends_at) select sha256(n::text::bytea), 10, $1 from generate_series(1, 1050) n`, b.now())
	for _, want := range []int{50 + 1, 0 + 3} {
		b.signIn("ann@example.com")
		require.Equal(t, want, one[int](b, `select count(*) from sessions`))
		b.pass(time.Second - time.Millisecond)
		b.signIn("ann@example.com")
		require.Equal(t, want+1, one[int](b, `select count(*) from sessions`), "an instance removes once a second")
		b.pass(time.Millisecond)
	}
	require.Equal(t, 2, one[int](b, `select count(*) from password_guesses`), "the wrong guesses at the account, and the sign-ins of the person")
	first := b.signIn("ann@example.com")
	b.Exec(`insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at, second_step_due, address, user_agent)
		select sha256(n::text::bytea), $1, $2, $2, $2::timestamptz + interval '10 minutes', true, '', '' from generate_series(1, 200) n`, id, b.now().Add(time.Second))
	b.pass(time.Second)
	last := b.signIn("ann@example.com")
	require.Equal(t, 100, one[int](b, `select count(*) from sessions`))
	require.True(t, b.isActive(first.Token), "those that never gave their code go first")
	require.True(t, b.isActive(last.Token))
}

// A person sees the sessions and ends one of them; nobody else's.
func TestSessionsAreListedAndEnded(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", "")
	b.person("bob@example.com", "")
	first, bob := b.signIn("ann@example.com"), b.signIn("bob@example.com")
	b.pass(time.Minute)
	odd := identity.Client{Address: strings.Repeat("1", 100), UserAgent: strings.Repeat("é", 128) + "\x00\xff"}
	second, err := b.other.SignIn(b.ctx(), "ann@example.com", password, odd)
	require.NoError(t, err)

	open, err := b.people.Sessions(b.ctx(), first.Token)
	require.NoError(t, err)
	require.Len(t, open, 2)
	own, other := open[0], open[1]
	require.Equal(t, identity.ActiveSession{ID: own.ID, Address: firefox.Address, UserAgent: firefox.UserAgent, StartedAt: first.StartedAt, LastUsedAt: first.StartedAt, Current: true}, own)
	require.Equal(t, []string{strings.Repeat("1", 64), strings.Repeat("é", 128)}, []string{other.Address, other.UserAgent})
	require.Equal(t, b.now(), other.LastUsedAt)
	require.False(t, other.Current)

	for _, id := range []string{other.ID, "", "x", other.Address} {
		require.NoError(t, b.people.EndSession(b.ctx(), bob.Token, id))
		require.True(t, b.isActive(second.Token))
	}
	require.ErrorIs(t, b.people.EndSession(b.ctx(), other.ID, own.ID), identity.ErrNoSession)
	require.NoError(t, b.people.EndSession(b.ctx(), first.Token, other.ID))
	require.False(t, b.isActive(second.Token))
	require.True(t, b.isActive(first.Token))
}

func TestPeople(t *testing.T) {
	b := setup(t)
	bob, ann := b.person("bob@example.com", secret), b.person("ann@example.com", "")
	b.person("cat@example.com", "")
	people, err := b.people.People(b.ctx(), []string{bob, ann, "00000000-0000-4000-8000-00000000000a"})
	require.NoError(t, err)
	require.Len(t, people, 2)
	assert.Equal(t, identity.Person{ID: ann, Name: "Name of ann@example.com", Email: "ann@example.com"}, people[0])
	assert.Equal(t, identity.Person{ID: bob, Name: "Name of bob@example.com", Email: "bob@example.com", TwoStep: true}, people[1])
	none, err := b.people.People(b.ctx(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
	_, err = b.people.People(b.ctx(), make([]string, 1001))
	require.Error(t, err)
}

// No error says a secret.
func TestErrorsSayNoSecret(t *testing.T) {
	b := setup(t)
	b.person("ann@example.com", secret)
	session := b.signIn("ann@example.com")
	full := b.signInFully("ann@example.com")
	b.Exec(`revoke all on users, sessions, password_guesses from dg_app`)
	_, e1 := b.people.SignIn(b.ctx(), "ann@example.com", password, firefox)
	_, e2 := b.people.VerifySecondStep(b.ctx(), session.Token, b.code(secret, 1))
	_, e3 := b.people.ChangePassword(b.ctx(), full.Token, identity.Proof{Password: password}, password+" new")
	_, e4 := b.people.BeginTwoStep(b.ctx(), full.Token)
	_, e5 := b.people.Session(b.ctx(), full.Token)
	failed := []error{e1, e2, e3, e4, e5, b.people.SignOut(b.ctx(), full.Token)}
	for _, err := range failed {
		require.Error(t, err)
		for _, s := range []string{password, secret, session.Token, full.Token, fixtures.PasswordHash, b.code(secret, 1)} {
			require.NotContains(t, errors.Join(failed...).Error(), s)
		}
	}
}
