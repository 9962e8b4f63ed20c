package audit_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/platform/postgres"
)

// counted are the entries of bursts in the organisation's log, oldest first: how many events each stands for, and whether
// it says that a count was lost.
func (b bundle) counted(t *testing.T, organisation string) (events []int, lost int) {
	t.Helper()
	all, err := b.log.List(t.Context(), organisation, audit.Page{Limit: 1000})
	require.NoError(t, err)
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

// refused is what is counted of a refusal.
func refused(organisation, key string, reason audit.Reason) audit.Entry {
	return audit.Entry{
		OrganisationID: organisation, Actor: audit.Actor{Kind: audit.Key, ID: key, Name: "Warehouse"}, Action: audit.KeyRefused, Reason: reason,
	}
}

// doc.go: what is counted becomes one entry for each actor and reason, in the organisation's own log.
func TestCountedEventsBecomeOneEntryPerActorAndReason(t *testing.T) {
	b := setup(t)
	for range 3 {
		require.NoError(t, b.log.Count(t.Context(), refused(ours, "key-a", audit.WrongSecret)))
		require.NoError(t, b.log.Count(t.Context(), refused(theirs, "key-b", audit.WrongSecret)))
	}
	require.NoError(t, b.log.Count(t.Context(), refused(ours, "key-a", audit.OutsideAPI)))
	require.NoError(t, b.log.RecordBursts(t.Context()))

	entries, err := b.log.List(t.Context(), ours, audit.Page{Limit: 10})
	require.NoError(t, err)
	require.Len(t, entries, 2)
	got := map[audit.Reason]any{}
	for _, e := range entries {
		require.Equal(t, audit.KeyRefused, e.Action)
		require.Equal(t, audit.Actor{Kind: audit.Key, ID: "key-a", Name: "Warehouse"}, e.Actor)
		require.NotContains(t, e.Details, audit.CountLost)
		got[e.Reason] = e.Details[audit.NotRecorded]
	}
	require.Equal(t, map[audit.Reason]any{audit.WrongSecret: 3.0, audit.OutsideAPI: 1.0}, got)
	theirEvents, _ := b.counted(t, theirs)
	require.Equal(t, []int{3}, theirEvents)

	require.NoError(t, b.log.RecordBursts(t.Context()))
	events, lost := b.counted(t, ours)
	require.ElementsMatch(t, []int{3, 1}, events, "what is recorded is not recorded again")
	require.Zero(t, lost)
}

// doc.go: each event is in exactly one entry, over all instances and while others are being counted.
func TestEachCountedEventIsInOneEntry(t *testing.T) {
	b := setup(t)
	second, err := postgres.Open(t.Context(), b.URL, postgres.Options{Name: "second instance", MaxConns: 8})
	require.NoError(t, err)
	t.Cleanup(second.Close)
	logs := []*audit.Log{b.log, audit.New(second)}
	var counting, recording sync.WaitGroup
	done := make(chan struct{})
	for i := range 8 {
		counting.Go(func() {
			for range 250 {
				if err := logs[i%2].Count(t.Context(), refused(ours, "key-a", audit.WrongSecret)); err != nil {
					t.Error(err)
				}
			}
		})
		recording.Go(func() {
			for {
				if err := logs[i%2].RecordBursts(t.Context()); err != nil {
					t.Error(err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	counting.Wait()
	close(done)
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

// doc.go: a crash of PostgreSQL, which empties unlogged tables, is noticed once, and each burst that was going on gets an
// entry which says that its count was lost.
func TestCrashThatLosesCountsIsRecorded(t *testing.T) {
	b := setup(t)
	crash := func() {
		_, err := b.Owner.Pool.Exec(t.Context(), `truncate audit_burst_events`)
		require.NoError(t, err)
	}
	require.NoError(t, b.log.Count(t.Context(), refused(ours, "key-a", audit.WrongSecret)))
	crash()
	require.NoError(t, b.log.Count(t.Context(), refused(ours, "key-a", audit.WrongSecret)))
	for range 3 {
		require.NoError(t, b.log.RecordBursts(t.Context()))
	}
	events, lost := b.counted(t, ours)
	require.Equal(t, []int{1}, events)
	require.Equal(t, 1, lost, "it is said once")

	_, err := b.Owner.Pool.Exec(t.Context(), `update audit_bursts set touched_at = now() - interval '3 min'`)
	require.NoError(t, err)
	require.NoError(t, b.log.RecordBursts(t.Context()))
	crash()
	require.NoError(t, b.log.RecordBursts(t.Context()))
	_, lost = b.counted(t, ours)
	require.Equal(t, 1, lost, "a burst that is over has nothing to lose")
}

// doc.go: a burst writes to the logged table once a minute, however many events it has, and again after that; a clock that
// was set back does not keep it from being touched.
func TestBurstIsTouchedOnceAMinute(t *testing.T) {
	b := setup(t)
	version := func() (tuple string) {
		require.NoError(t, b.Owner.Pool.QueryRow(t.Context(), `select ctid::text from audit_bursts`).Scan(&tuple))
		return tuple
	}
	count := func() { require.NoError(t, b.log.Count(t.Context(), refused(ours, "key-a", audit.WrongSecret))) }
	count()
	first := version()
	count()
	require.Equal(t, first, version())
	for _, at := range []string{"now() - interval '61 s'", "now() + interval '20 min'"} {
		_, err := b.Owner.Pool.Exec(t.Context(), `update audit_bursts set touched_at = `+at)
		require.NoError(t, err)
		before := version()
		count()
		require.NotEqual(t, before, version(), at)
	}
}

// What no filter would find is not counted either.
func TestOnlyKnownActionsAreCounted(t *testing.T) {
	b := setup(t)
	e := refused(ours, "key-a", audit.WrongSecret)
	e.Action = "nothing.known"
	require.Error(t, b.log.Count(t.Context(), e))
}

// statements counts what a connection sends.
type statements struct{ n int }

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	s.n++
	return ctx
}

func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// An event that counts in a thousand logs is one statement, whether their bursts are new or going on, and counts once in each.
func TestCountInManyLogsIsOneStatement(t *testing.T) {
	b := setup(t)
	_, err := b.Owner.Pool.Exec(t.Context(), `insert into organisations (id, slug, name, plan, reporting_mode)
		select gen_random_uuid(), 'many-' || n, n, 'pro', 'pseudonymous' from generate_series(1, 998) n`)
	require.NoError(t, err)
	var all []string
	require.NoError(t, b.Owner.Pool.QueryRow(t.Context(), `select array_agg(id::text order by random()) from organisations`).Scan(&all))
	var sent statements
	config := b.DB.Pool.Config().ConnConfig.Copy()
	config.Tracer = &sent
	conn, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	e := audit.Entry{Actor: audit.Actor{Kind: audit.Person, ID: "ann", Name: "Ann"}, Action: audit.SignInFailed, Reason: audit.Locked}
	for range 3 {
		tx, err := conn.Begin(t.Context())
		require.NoError(t, err)
		before := sent.n
		require.NoError(t, b.log.CountInAll(t.Context(), tx, append(all, ours), e)) // one of them twice
		require.Equal(t, 1, sent.n-before)
		require.NoError(t, tx.Commit(t.Context()))
	}
	require.NoError(t, b.log.RecordBursts(t.Context()))
	var logs, least, most int
	require.NoError(t, b.Owner.Pool.QueryRow(t.Context(), `select count(distinct org_id), min((details->>'notRecorded')::int),
		max((details->>'notRecorded')::int) from audit_entries`).Scan(&logs, &least, &most))
	require.Equal(t, []int{1000, 3, 3}, []int{logs, least, most})
}

// Many count in the same logs at once, named in other orders: nobody waits for another in a circle.
func TestCountInManyLogsAtOnce(t *testing.T) {
	b := setup(t)
	e := audit.Entry{Actor: audit.Actor{Kind: audit.Person, ID: "ann", Name: "Ann"}, Action: audit.SignInFailed, Reason: audit.Locked}
	orders := [][]string{{ours, theirs}, {theirs, ours}}
	var counting sync.WaitGroup
	for i := range 8 {
		counting.Go(func() {
			for range 50 {
				for _, id := range orders[i%2] {
					_, err := b.Owner.Pool.Exec(t.Context(), `update audit_bursts set touched_at = now() - interval '61 s' where org_id = $1`, id)
					if err != nil {
						t.Error(err)
					}
				}
				err := pgx.BeginFunc(t.Context(), b.DB.Pool, func(tx pgx.Tx) error { return b.log.CountInAll(t.Context(), tx, orders[i%2], e) })
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	counting.Wait()
	require.NoError(t, b.log.RecordBursts(t.Context()))
	events, _ := b.counted(t, ours)
	require.Equal(t, []int{400}, events)
}
