package audit_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"dg/modules/audit"
	"dg/platform/postgres"
	"dg/platform/testkit/fixtures"
	"dg/platform/testkit/pgtest"
)

// counted returns the number of events of each burst in the organisation's log, oldest first, and
// how many entries say that a count was lost.
func (b bundle) counted(t *testing.T, organisation string) (events []int, lost int) {
	t.Helper()
	all := b.list(t, organisation, audit.Page{Limit: 1000})
	for _, e := range slices.Backward(all) {
		if n, ok := e.Details[audit.NotRecorded].(float64); ok {
			events = append(events, int(n))
		}
		if e.Details[audit.CountLost] == true {
			lost++
		}
	}
	return events, lost
}

// refused is an entry to count.
func refused(organisation, key string, reason audit.Reason) audit.Entry {
	return audit.Entry{
		OrganisationID: organisation,
		Actor:          audit.Actor{Kind: audit.Key, ID: key, Name: "Warehouse"},
		Action:         audit.KeyRefused,
		Reason:         reason,
	}
}

// Counted events become one entry of each actor and reason, in their organisation's log.
func TestCountedEventsBecomeOneEntryPerActorAndReason(t *testing.T) {
	b := setup(t)
	for range 3 {
		b.counts(t, refused(ours, "key-a", audit.WrongSecret))
		b.counts(t, refused(theirs, "key-b", audit.WrongSecret))
	}
	b.counts(t, refused(ours, "key-a", audit.OutsideAPI))
	require.NoError(t, b.log.RecordBursts(t.Context()))

	require.NoError(t, b.log.RecordBursts(t.Context()), "nothing is recorded again")
	entries := b.list(t, ours, audit.Page{Limit: 10})
	require.Len(t, entries, 2)
	got := map[audit.Reason]map[string]any{}
	for _, e := range entries {
		require.Equal(t, audit.KeyRefused, e.Action)
		require.Equal(t, audit.Actor{Kind: audit.Key, ID: "key-a", Name: "Warehouse"}, e.Actor)
		got[e.Reason] = e.Details
	}
	require.Equal(t, map[audit.Reason]map[string]any{
		audit.WrongSecret: {audit.NotRecorded: 3.0}, audit.OutsideAPI: {audit.NotRecorded: 1.0},
	}, got)
	theirEvents, _ := b.counted(t, theirs)
	require.Equal(t, []int{3}, theirEvents)
}

// Two instances count and record at once, in the same logs in different orders: nothing is lost, and
// nothing deadlocks.
func TestEachCountedEventIsInOneEntry(t *testing.T) {
	b := setup(t)
	second := pgtest.Open(t, b.URL, postgres.Options{MaxConns: 8})
	logs := []*audit.Log{b.log, audit.New(second)}
	orders := [][]string{{ours, theirs}, {theirs, ours}}
	var counting, recording sync.WaitGroup
	var done atomic.Bool
	for i := range 8 {
		counting.Go(func() {
			for n := range 250 {
				if n%5 == 0 { // so that bursts are written
					b.Exec(`update audit_bursts set touched_at = now() - interval '61 s'
						where org_id = $1`, orders[i%2][0])
				}
				err := b.DB.Gorm.WithContext(t.Context()).Transaction(func(tx *gorm.DB) error {
					return logs[i%2].CountInAll(tx, orders[i%2], locked)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
		recording.Go(func() {
			for !done.Load() {
				if err := logs[i%2].RecordBursts(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	counting.Wait()
	done.Store(true)
	recording.Wait()
	require.NoError(t, b.log.RecordBursts(t.Context()))
	events, lost := b.counted(t, ours)
	sum := 0
	for _, n := range events {
		sum += n
	}
	require.Equal(t, 2000, sum)
	require.Greater(t, len(events), 1)
	require.Zero(t, lost)
}

// A crash of PostgreSQL empties unlogged tables. Each current burst then gets one entry of its lost
// count.
func TestCrashThatLosesCountsIsRecorded(t *testing.T) {
	b := setup(t)
	crash := func() { b.Exec(`truncate audit_burst_events`) }
	b.counts(t, refused(ours, "key-a", audit.WrongSecret))
	crash()
	b.counts(t, refused(ours, "key-a", audit.WrongSecret))
	for range 3 {
		require.NoError(t, b.log.RecordBursts(t.Context()))
	}
	events, lost := b.counted(t, ours)
	require.Equal(t, []int{1}, events)
	require.Equal(t, 1, lost, "in one entry")

	b.Exec(`update audit_bursts set touched_at = now() - interval '3 min'`)
	require.NoError(t, b.log.RecordBursts(t.Context()))
	crash()
	require.NoError(t, b.log.RecordBursts(t.Context()))
	_, lost = b.counted(t, ours)
	require.Equal(t, 1, lost, "a burst that has ended lost nothing")
}

// A burst writes to the logged table once a minute, also after the clock was set back.
func TestBurstIsTouchedOnceAMinute(t *testing.T) {
	b := setup(t)
	version := func() string { return fixtures.One[string](b.Database, `select ctid::text from audit_bursts`) }
	count := func() { b.counts(t, refused(ours, "key-a", audit.WrongSecret)) }
	count()
	first := version()
	count()
	require.Equal(t, first, version())
	for _, at := range []string{"now() - interval '61 s'", "now() + interval '20 min'"} {
		b.Exec(`update audit_bursts set touched_at = ` + at)
		before := version()
		count()
		require.NotEqual(t, before, version(), at)
	}
}

// A failure of the log loses no event: the next attempt records it.
func TestEventsOfAFailedRecordingAreRecordedNext(t *testing.T) {
	b := setup(t)
	for range 3 {
		b.counts(t, refused(ours, "key-a", audit.WrongSecret))
	}
	b.Exec(`revoke insert on audit_entries from dg_app`)
	require.Error(t, b.log.RecordBursts(t.Context()))
	b.counts(t, refused(ours, "key-a", audit.WrongSecret))
	b.Exec(`grant insert on audit_entries to dg_app`)
	require.NoError(t, b.log.RecordBursts(t.Context()))
	events, lost := b.counted(t, ours)
	require.Equal(t, []int{4}, events)
	require.Zero(t, lost)
}

// locked is an entry to count in many logs.
var locked = audit.Entry{
	Actor:  audit.Actor{Kind: audit.Person, ID: "ann", Name: "Ann"},
	Action: audit.KeyRefused,
	Reason: audit.Revoked,
}

// statements counts statements.
type statements struct {
	logger.Interface
	n int
}

func (s *statements) Trace(context.Context, time.Time, func() (string, int64), error) { s.n++ }

// Bursts in a thousand logs, new or current, and one of them named twice.
func TestCountInManyLogsTakesOneStatement(t *testing.T) {
	b := setup(t)
	b.Exec(`insert into organisations (id, slug, name, plan, reporting_mode)
		select gen_random_uuid(), 'many-' || n, n, 'pro', 'pseudonymous' from generate_series(1, 998) n`)
	all := fixtures.One[[]string](b.Database,
		`select array_agg(id::text order by random()) from organisations`)
	sent := statements{Interface: logger.Discard}
	db := b.DB.Gorm.Session(&gorm.Session{Logger: &sent, Context: t.Context()})
	for range 3 {
		before := sent.n
		require.NoError(t, db.Transaction(func(tx *gorm.DB) error {
			return b.log.CountInAll(tx, append(all, ours), locked)
		}))
		require.Equal(t, 1, sent.n-before)
	}
	require.NoError(t, b.log.RecordBursts(t.Context()))
	require.Equal(t, []int{1000, 3, 3}, fixtures.One[[]int](b.Database, `select array[count(distinct org_id),
		min((details->>'notRecorded')::int), max((details->>'notRecorded')::int)] from audit_entries`))
}
