package apikeys_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/testkit/fixtures"
)

// within runs f in one minute of the database's clock: it is run again where a minute began
// meanwhile.
func (b *bundle) within(f func()) {
	b.t.Helper()
	for {
		minute := fixtures.One[time.Time](b.Database,
			`select date_trunc('minute', clock_timestamp())`)
		f()
		if minute.Equal(
			fixtures.One[time.Time](b.Database, `select date_trunc('minute', clock_timestamp())`),
		) {
			return
		}
	}
}

// rules.md, Keys: last use: authenticated and within the rate, forward only, written at
// most once in a minute of the clock per key, never after the revocation.
func TestLastUse(t *testing.T) {
	b := setup(t)
	const (
		lastMinute = `date_trunc('minute', clock_timestamp()) - interval '1 ms'`
		thisMinute = `date_trunc('minute', clock_timestamp())`
	)
	for name, c := range map[string]struct {
		before string // last_used_at as it was
		given  func(apikeys.Key, *apikeys.Token)
		moves  bool
	}{
		"the first use":             {`null`, nil, true},
		"the first in this minute":  {lastMinute, nil, true},
		"after a year":              {`now() - interval '1 year'`, nil, true},
		"the second in this minute": {thisMinute, nil, false},
		"never backwards":           {`now() + interval '1 h'`, nil, false},
		"with a wrong secret": {
			lastMinute, func(_ apikeys.Key, token *apikeys.Token) {
				*token = guessed(*token)
			}, false,
		},
		"a first with a wrong secret": {
			`null`, func(_ apikeys.Key, token *apikeys.Token) { *token = guessed(*token) }, false,
		},
		"beyond the rate": {
			lastMinute, func(k apikeys.Key, _ *apikeys.Token) {
				b.setWindow(k.ID, false, 1, repeat(5, 120))
			}, false,
		},
		"after the revocation": {lastMinute, func(k apikeys.Key, _ *apikeys.Token) {
			b.Exec(`update api_keys set revoked_at = now() where id = $1`, k.ID)
		}, false},
		"after the expiry": {lastMinute, func(k apikeys.Key, _ *apikeys.Token) {
			b.Exec(`update api_keys set expires_at = now() - interval '1 s' where id = $1`, k.ID)
		}, false},
		"the last within the rate": {
			lastMinute, func(k apikeys.Key, _ *apikeys.Token) {
				b.setWindow(k.ID, false, 1, repeat(5, 119))
			}, true,
		},
		"while refused uses are at 120": {
			lastMinute, func(k apikeys.Key, _ *apikeys.Token) {
				b.setWindow(k.ID, true, 1, repeat(5, 120))
			}, true,
		},
		"its windows had gone": {
			lastMinute, func(apikeys.Key, *apikeys.Token) {
				b.Exec(`truncate api_key_windows`)
			}, true,
		},
		"of a key whose name is changed": {
			lastMinute, func(k apikeys.Key, _ *apikeys.Token) {
				b.Exec(`update api_keys set name = 'x' where id = $1`, k.ID)
			}, true,
		},
	} {
		b.within(func() {
			key, token := b.newKey()
			_, theirs := b.newKey()
			b.Exec(`update api_keys set last_used_at = `+c.before+` where id = $1`, key.ID)
			if c.given != nil {
				c.given(key, &token)
			}
			const read = `select last_used_at from api_keys where id = $1`
			before := fixtures.One[*time.Time](b.Database, read, key.ID)
			_, _ = b.keys.Authenticate(b.ctx(), token, request)
			after := fixtures.One[*time.Time](b.Database, read, key.ID)
			if !c.moves {
				require.Equal(t, before, after, name)
			} else {
				require.NotNil(t, after, name)
				require.NotEqual(t, before, after, name)
				require.True(t,
					fixtures.One[bool](b.Database,
						`select $1::timestamptz between clock_timestamp() - interval '1 min' and clock_timestamp()`,
						*after),
					name)
			}
			require.Nil(t, fixtures.One[*time.Time](b.Database, read, theirs.ID),
				"%s: another key's", name)
		})
	}
}

// A use outside /api/v1/ is no use, whatever the secret was.
func TestUseOutsideTheAPIDoesNotMoveLastUse(t *testing.T) {
	b := setup(t)
	key, _ := b.newKey()
	requireCode(t, apperr.AccessDenied, b.keys.RefuseOutside(b.ctx(), key.ID, request, errOutside))
	require.Nil(t,
		fixtures.One[*time.Time](b.Database, `select last_used_at from api_keys where id = $1`,
			key.ID))
}

// rules.md, Keys: never after the revocation: a request that waits for the key while it is being
// revoked does not write its use when the revocation has been committed.
func TestLastUseDoesNotMoveAfterRevocation(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	revocation, err := b.Owner.Pool.Begin(b.ctx())
	require.NoError(t, err)
	defer func() { _ = revocation.Rollback(b.t.Context()) }()
	_, err = revocation.Exec(b.ctx(),
		`update api_keys set revoked_at = date_trunc('milliseconds', clock_timestamp()) where id = $1`,
		key.ID)
	require.NoError(t, err)

	done := make(chan error, 1)
	go func() {
		_, err := b.keys.Authenticate(b.ctx(), token, request)
		done <- err
	}()
	b.untilOneWaits(revocation)
	require.NoError(t, revocation.Commit(b.ctx()))
	require.NoError(t, <-done, "it started before the commit: it may pass (doc.go, Trade-offs)")
	require.Nil(t,
		fixtures.One[*time.Time](b.Database, `select last_used_at from api_keys where id = $1`,
			key.ID))

	_, err = b.keys.Authenticate(b.ctx(), token, request)
	requireCode(t, apperr.AuthRequired, err)
}

// A revocation does not wait for requests of the key that wait for each other's place, and does not
// deadlock with them: it touches api_keys alone.
func TestRevocationDoesNotWaitForTheWindow(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	holder, err := b.Owner.Pool.Begin(b.ctx())
	require.NoError(t, err)
	defer func() { _ = holder.Rollback(b.t.Context()) }()
	_, err = holder.Exec(b.ctx(), `update api_key_windows set head = head where key_id = $1`,
		key.ID)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := b.other.Authenticate(b.ctx(), token, request)
		done <- err
	}()
	b.untilOneWaits(holder)
	require.NoError(t, b.keys.Revoke(b.ctx(), b.owner, key.ID, request))
	require.NoError(t, holder.Rollback(b.ctx()))
	require.NoError(t, <-done, "it started before the commit: it may pass (doc.go, Trade-offs)")
	require.Nil(t,
		fixtures.One[*time.Time](b.Database, `select last_used_at from api_keys where id = $1`,
			key.ID))
}

// untilOneWaits returns when a session waits for a lock that tx holds.
func (b *bundle) untilOneWaits(tx pgx.Tx) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx(), 10*time.Second)
	defer cancel()
	for waits := false; !waits; {
		require.NoError(b.t, tx.QueryRow(ctx, `select exists (select from pg_locks where not granted
			and pg_blocking_pids(pid) @> array[pg_backend_pid()])`).Scan(&waits))
	}
}

// The first request of a minute does not wait until the disk has its key's last use.
func TestLastUseDoesNotWaitForTheDisk(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	b.Exec(`create function refuse_waiting() returns trigger language plpgsql as $$ begin
		assert current_setting('synchronous_commit') = 'off', 'the commit waits'; return new; end $$`)
	b.Exec(
		`create trigger refuse_waiting before update on api_keys for each row execute function refuse_waiting()`,
	)
	address, err := url.Parse(b.DirectURL)
	require.NoError(t, err)
	query := address.Query()
	query.Set("synchronous_commit", "on") // the server of the tests has it off
	address.RawQuery = query.Encode()
	db, err := postgres.Open(t.Context(), address.String(), postgres.Options{MaxConns: 1})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	_, err = b.instance(db, time.Now).Authenticate(b.ctx(), token, request)
	require.NoError(t, err)
	require.Equal(t, "on", setting(t, db), "of its own transaction alone")
}

func setting(t *testing.T, db *postgres.DB) (value string) {
	t.Helper()
	require.NoError(t, db.Pool.QueryRow(t.Context(), `show synchronous_commit`).Scan(&value))
	return value
}
