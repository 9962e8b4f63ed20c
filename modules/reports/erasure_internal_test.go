package reports

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/modules/reports/sealer"
	"dg/modules/reports/segment"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

// erasePlayer erases the player like dg erase, but without the sealer's pass after it.
func erasePlayer(ctx context.Context, db *postgres.DB, player string) error {
	return org.New(db, audit.New(db), nil).ErasePlayer(ctx, player, sealer.DropDirty, audit.Request{Path: "dg erase"})
}

func (e *env) playerID(ordinal int) string {
	return testkit.Query[string](e.World, `select id::text from players where ordinal = $1`, ordinal)
}

// storedPlayers returns the players in all stored segments, dirty or clean.
func (e *env) storedPlayers(t *testing.T) map[int32]bool {
	stored := map[int32]bool{}
	rows := tb.Must(e.Owner.Pool.Query(t.Context(), `select day, head_bytes, segment from fork_days`))(t)
	require.NoError(t, segment.ReadSegments(rows, 1, func(s segment.StoredSegment) error {
		return segment.UnpackDay(s.Date.UnixMilli(), s.Head, s.Tail, nil,
			func(p *segment.Play) { stored[p.Player] = true })
	}))
	rows = tb.Must(e.Owner.Pool.Query(t.Context(), `select month, head_bytes, segment from fork_months`))(t)
	require.NoError(t, segment.ReadSegments(rows, 0, func(s segment.StoredSegment) error {
		var players segment.Players
		err := segment.UnpackMonth(s.Date.UnixMilli(), s.Head, &players)
		for _, ordinal := range players.Ordinals() {
			stored[ordinal] = true
		}
		return err
	}))
	return stored
}

// Once an erasure has committed, no segment contains the player, even if the erasure waited for a sealer.
func TestErasedPlayerIsInNoSegment(t *testing.T) {
	e := newEnv(t)
	e.insertRandomPlays(testFrom, 100, 2000)
	e.storePlays(testForkID, 3, testFrom.Add(80*day)) // February has a segment without player 7
	e.Exec(`delete from plays where player = 7 and started_at >= '2024-02-01'`)
	e.seal(t)
	id := e.playerID(7)
	require.True(t, e.storedPlayers(t)[7])
	lock := e.Begin(`select pg_advisory_xact_lock(hashtextextended('sealer', 0))`)
	require.NoError(t, e.WhileWaiting(lock, func() error { return erasePlayer(t.Context(), e.Owner, id) }, nil))
	stored := e.storedPlayers(t)
	require.False(t, stored[7])
	require.True(t, stored[3], "the other segments stay")
	e.requireAgreement(t)
}

// An erasure waits for a sealer that commits a changed day. Otherwise the erasure would delete the new segment.
func TestErasureDuringASealKeepsSealedDays(t *testing.T) {
	e := newEnv(t)
	e.insertRandomPlays(testFrom, 100, 2000)
	e.Exec(`delete from plays where player = 7`)
	e.storePlays(otherForkID, 7, testFrom.Add(15*day))
	e.seal(t)
	changedAt := testFrom.Add(20 * day)
	e.storePlays(testForkID, 3, changedAt)
	require.Equal(t, []int{1, 1}, e.countMarks())
	e.Exec(`create function pause() returns trigger language plpgsql as $$
		begin perform pg_advisory_xact_lock(4711); return null; end $$;
		create constraint trigger pause after update on fork_days deferrable initially deferred
		for each row when (new.day = '2023-12-10') execute function pause()`)

	noLockTimeout := postgres.Options{MaxConns: 2, LockTimeout: -1}
	slowSealer := newSealer(pgtest.Open(t, e.URL, noLockTimeout))
	eraserDB := pgtest.Open(t, e.OwnerURL, noLockTimeout)
	id := e.playerID(7)
	pause := e.Begin(`select pg_advisory_xact_lock(4711)`)
	e.whileSealing(t, slowSealer, pause, func() error { return erasePlayer(t.Context(), eraserDB, id) })
	require.Equal(t, 1, e.CountRows(`fork_days where fork_id = $1 and day = $2`, testForkID, changedAt))
	e.seal(t)
	e.requireAgreement(t)
	require.Equal(t, 3, e.CountRows(`fork_months where fork_id = $1`, testForkID))
}

// whileSealing calls f while a sealer waits for a lock, which is released once f waits too.
func (e *env) whileSealing(t *testing.T, s *sealer.Sealer, lock pgx.Tx, f func() error) {
	done := make(chan error, 1)
	require.NoError(t, e.WhileWaiting(lock, func() error {
		_, err := s.Seal(t.Context())
		if errors.Is(err, postgres.ErrLocked) {
			return nil // an erasure was next in the queue of the sealer's lock
		}
		return err
	}, func() {
		go func() { done <- f() }()
		require.Eventually(t, func() bool {
			return e.CountRows(`pg_locks join pg_stat_activity using (pid)
				where not granted and datname = current_database()`) == 2
		}, 30*time.Second, 2*time.Millisecond)
	}))
	require.NoError(t, <-done)
}

// Reading fewer segments than expected gives ErrDamaged, never a smaller sum.
func TestMissingSegmentIsDamage(t *testing.T) {
	e := newEnv(t)
	e.storePlays(testForkID, 1, startsOnDays(0, 3)...)
	e.seal(t)
	for expected, want := range map[int]error{3: nil, 4: segment.ErrDamaged} {
		rows := tb.Must(e.Owner.Pool.Query(t.Context(), `select day, head_bytes, segment from fork_days`))(t)
		require.ErrorIs(t, segment.ReadSegments(rows, expected,
			func(segment.StoredSegment) error { return nil }), want)
	}
}
