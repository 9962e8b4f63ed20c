package reports

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/limit"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

const manyPlayers = 1500 // so many that labelsSQL returns allLabelsSQL

func newLabelsEnv(t *testing.T) *env {
	e := newEnv(t)
	e.AddPlayers(testOrgID, manyPlayers-40)
	e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
		select gen_random_uuid(), $1, $2, i, $3, '' from generate_series(1, $4::int) i`,
		testOrgID, testForkID, testFrom, manyPlayers)
	return e
}

// requireLabels compares the labels of a report with a column of players.
func (e *env) requireLabels(t *testing.T, column string) {
	stats := e.mustStatistics(t, newQuery(testFrom, 1, ""))
	// CollectRows returns Query's error
	rows, _ := e.Owner.Pool.Query(t.Context(), `select `+column+` from players p
		where exists (select from plays y where y.org_id = p.org_id and y.player = p.ordinal)
		order by `+column+` collate "C"`)
	want := tb.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
	var got []string
	for _, p := range stats.Players() {
		got = append(got, p.Label)
	}
	require.Equal(t, want, got)
}

// doc.go, Invariants: cached labels equal those of the report's snapshot on all instances, after any change.
func TestCachedLabelsEqualThoseOfTheSnapshot(t *testing.T) {
	e := newLabelsEnv(t)
	otherInstance := *e
	otherInstance.reports = New(e.DB, e.reports.options)
	requireCached := func(name string, e *env) {
		t.Helper()
		e.requireLabels(t, "display_name")
		before, _ := e.reports.labelCache.lru.Peek(labelsKey{testOrgID, org.Nominative})
		e.requireLabels(t, "display_name")
		after, _ := e.reports.labelCache.lru.Peek(labelsKey{testOrgID, org.Nominative})
		require.Same(t, before, after, name)
	}
	for _, change := range []string{
		`update players set display_name = '"Zoë" <x>' where ordinal = 7`,
		`update players set display_name = 'Equal' where ordinal % 3 = 0`,
		`delete from players where ordinal = 9`,
		`begin; savepoint s; update players set display_name = 'lost' where ordinal = 3; rollback to s;
		 update players set display_name = 'kept' where ordinal = 4; commit`,
		`begin; update players set display_name = 'first' where ordinal = 5;
		 update players set display_name = 'second' where ordinal = 6; commit`,
		`with p as (insert into players select gen_random_uuid(), '` + testOrgID + `', 9000, 'P-new', 'New'
		  returning ordinal) select * from p`,
	} {
		requireCached(change, e)
		requireCached(change, &otherInstance)
		e.Exec(change)
		e.requireLabels(t, "display_name")
		otherInstance.requireLabels(t, "display_name")
	}
	e.Exec(`update organisations set reporting_mode = 'pseudonymous'`)
	e.requireLabels(t, "label")
	e.Exec(`update organisations set reporting_mode = 'nominative'`)
	e.requireLabels(t, "display_name")
	require.Equal(t, 2, e.reports.labelCache.lru.Len(), "both modes are kept")

	const version = `select version from player_ordinals`
	before := testkit.Query[int64](e.World, version)
	e.Exec(`truncate players cascade`)
	require.NotEqual(t, before, testkit.Query[int64](e.World, version))
}

// A snapshot older than a rename, as on a replica that lags, shows the former name. A failed read caches no labels.
// Without Options.PlayerVersions, as in a host program, no label is cached and player_ordinals is not read.
func TestLabelsOfAnOlderSnapshotAreNotMixed(t *testing.T) {
	e := newLabelsEnv(t)
	q := newQuery(testFrom, 1, "")
	e.Exec(`alter table players rename display_name to unread`)
	require.ErrorContains(t, tb.ErrorOf(e.statistics(t.Context(), q)), `column "display_name" does not exist`)
	e.Exec(`alter table players rename unread to display_name`)
	e.requireLabels(t, "display_name")

	olderReport := e.openReport(t, q)
	const rename = `update players set display_name = $1 where ordinal = 1`
	e.Exec(rename, "After")
	e.requireLabels(t, "display_name")
	stats := tb.Must(e.reports.Statistics(t.Context(), olderReport))(t)
	for _, p := range stats.Players() {
		require.NotEqual(t, "After", p.Label)
	}
	e.requireLabels(t, "display_name")

	e.Exec(`alter table player_ordinals rename to hidden`)
	e.Exec(`alter table players disable trigger player_version`)
	e.reports = New(e.DB, Options{FixedPseudonyms: true})
	e.requireLabels(t, "display_name")
	e.Exec(rename, "Later")
	e.requireLabels(t, "display_name")
}

func labelsWithText(bytes int) *labels { return &labels{text: strings.Repeat("x", bytes)} }

// sizing.md: the cache of labels is bounded. It evicts the least recently used first.
func TestCachedLabelsAreBounded(t *testing.T) {
	c := newLabelCache()
	key := func(i int) labelsKey { return labelsKey{fmt.Sprint(i), org.Nominative} }
	l := labelsWithText(1 << 18)
	for i := range 500 {
		c.put(key(i), 1, l)
		require.NotNil(t, c.get(key(0), 1), "in use")
		require.LessOrEqual(t, c.bytes, maxLabelBytes)
	}
	require.Greater(t, c.bytes, maxLabelBytes-2<<18)
	require.Nil(t, c.get(key(1), 1))
	require.NotNil(t, c.get(key(499), 1))
	require.Nil(t, c.get(key(499), 2), "another version")
	c.put(key(499), 2, labelsWithText(maxLabelBytes))
	require.NotNil(t, c.get(key(499), 1), "labels that do not fit are not kept")
	for _, k := range c.lru.Keys() {
		c.put(k, 3, labelsWithText(1))
	}
	require.Equal(t, c.lru.Len()*labelsWithText(1).size(), c.bytes)
}

// doc.go, Invariants: labels that no report confirms for a minute are dropped, even without another report.
func TestUnconfirmedLabelsAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newLabelCache()
		k := labelsKey{testOrgID, org.Pseudonymous}
		c.put(k, 1, labelsWithText(10))
		for range 5 {
			<-time.After(labelTTL - time.Second)
			require.NotNil(t, c.get(k, 1))
		}
		<-time.After(labelTTL - time.Second)
		require.Nil(t, c.get(k, 2), "another version confirms nothing")
		<-time.After(2 * time.Second)
		synctest.Wait()
		c.mu.Lock()
		defer c.mu.Unlock()
		require.Zero(t, c.lru.Len())
		require.Zero(t, c.bytes)
	})
}

// rules.md, Bounds: a large report waits for a slot of its own kind. A fourth small report is refused.
func TestLargeReportsLeaveSlotsForSmallOnes(t *testing.T) {
	e := newEnv(t)
	e.AddPlayers(testOrgID, maxSmallReport+1)
	e.AddPlays(testFork, maxSmallReport+1, testFrom, 0)
	e.storeGroup(otherForkID, `select i from generate_series(1, $1::int) i`, maxSmallReport)
	isLarge := func(group string) bool {
		s := tb.Must(openSnapshot(t.Context(), e.DB, newQuery(testFrom, 1, group), true))(t)
		s.close()
		return s.isLarge
	}
	require.True(t, isLarge(otherForkID), "a group that is read like a large report waits as one")
	require.False(t, isLarge(testGroupID))
	open := func(day int) *Report {
		report, err := e.reports.Open(t.Context(), newQuery(testFrom.AddDate(0, 0, day), 1, ""))
		assert.NoError(t, err)
		t.Cleanup(report.Close)
		return report
	}
	first := open(0)
	second := make(chan *Report, 1)
	go func() { second <- open(0) }()
	require.Eventually(t, func() bool { return e.reports.largeReports.Stats().Waiting == 1 }, limit.Wait,
		time.Millisecond, "one large report of an organisation runs")
	for range MaxReportsOfOrganisation {
		open(1)
	}
	require.EqualValues(t, MaxReportsOfOrganisation, e.reports.smallReports.Stats().Running)
	require.Empty(t, second)
	first.Close()
	require.NotNil(t, <-second, "it gets the slot of the first")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // a deadline after a second or more is a refusal
	defer cancel()
	small := newQuery(testFrom.AddDate(0, 0, 1), 1, "")
	require.True(t, apperr.Is(tb.ErrorOf(e.reports.Open(ctx, small)), apperr.Unavailable))
	e.Exec(`delete from plays where player = 1`)
	require.False(t, isLarge(""), "as many plays as a small report may have")
	e.storePlays(testForkID, 2, testFrom)
	require.True(t, isLarge(""))
	e.Exec(`delete from players where ordinal > $1`, maxSmallReport)
	e.storePlays(testForkID, 2, testFrom)
	require.False(t, isLarge("") || isLarge(otherForkID), "as many players")
}

// doc.go, Invariants: after a replica fails, the primary is read. After the primary fails, the report fails.
func TestReportOfFailedReplicaIsReadFromPrimary(t *testing.T) {
	e := newEnv(t)
	e.insertRandomPlays(testFrom, 40, 100)
	q := newQuery(testFrom, 40, "")
	want := e.mustStatistics(t, q)
	for _, replica := range []bool{true, false} {
		report := e.openReport(t, q)
		report.onReplica = replica
		// aborts the transaction, so that every later statement fails
		require.Error(t, tb.ErrorOf(report.conn.Exec(t.Context(), `select 1 / 0`)))
		got, err := e.reports.Statistics(t.Context(), report)
		report.Close()
		if !replica {
			require.ErrorContains(t, err, "current transaction is aborted")
			continue
		}
		require.NoError(t, err)
		require.True(t, sameStatistics(want, got))
	}
	require.Zero(t, e.DB.Pool.Stat().AcquiredConns())
}
