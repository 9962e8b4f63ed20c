package reports

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"dg/modules/games"
	"dg/modules/reports/segment"
	"dg/platform/format"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

func newFingerprintEnv(t *testing.T) *env {
	e := newEnv(t)
	e.Exec(`update organisations set reporting_mode = 'pseudonymous'`)
	return e
}

// readFingerprints returns an export's fingerprint, and that of an export that hashes all plays, without stored hashes.
func (e *env) readFingerprints(t *testing.T, q Query) (got, want *Fingerprint) {
	q.MaxHashedPlays = 1_000_000
	read := func() *Fingerprint {
		export := e.openExport(t, q)
		export.Close()
		return export.Fingerprint
	}
	got = read()
	e.Exec(`create table kept as table fork_days; delete from fork_days`)
	want = read()
	e.Exec(`insert into fork_days select * from kept; drop table kept`)
	require.NotEmpty(t, want.Tag)
	return got, want
}

// An older sealer does not update the hash of a day, so no fingerprint contains the hashes of its days. Each clean day
// has a hash, even with too many plays for a segment.
func TestFingerprintIgnoresStaleDayHashes(t *testing.T) {
	e := newFingerprintEnv(t)
	e.sealer.MaxDayPlays = 20
	e.insertRandomPlays(testFrom, 100, 500)
	e.insertRandomPlays(testFrom.Add(20*day), 1, 400)
	q := newQuery(testFrom, 99, "")
	require.Positive(t, e.seal(t).Large)
	for range 3 {
		e.Exec(`update plays set score = (score + 1) % 10000, answers = answers || '\x02' where score is not null`)
		changed, want := e.readFingerprints(t, q)
		require.Equal(t, want, changed)
		// simulates the older sealer, which replaces segments and removes marks
		e.Exec(`update fork_days set sums = set_byte(sums, 0, $1)`, segment.DayVersion-1)
		e.Exec(`delete from unsealed_days`)
		e.Exec(`delete from unsealed_months`)
		older, _ := e.readFingerprints(t, q)
		require.Equal(t, want, older)
		require.Positive(t, e.seal(t).Days)
		sealed, _ := e.readFingerprints(t, q)
		require.Equal(t, want, sealed)
		q.MaxHashedPlays = 1
		require.NotEmpty(t, e.openExport(t, q).Fingerprint.Tag, "no plays are hashed")
	}
}

// Another CSV header or another skill changes all tags. Another fork or period changes Fingerprint.Tag.
func TestTagsChangeWithTheWireFormat(t *testing.T) {
	skills := games.SkillIDs()
	require.Equal(t, wireFormat, wireFormatOf(csvHeader, skills))
	require.True(t, strings.HasPrefix(wireFormat, fmt.Sprintln(wireVersion)))
	q := newQuery(testFrom, 100, "")
	const months = 4
	tagsOf := func(format string) []string {
		p := newFingerprint(format, q, make([]int64, months), months)
		return append(strings.Split(p.Months, ", "), p.Tag)
	}
	current := tagsOf(wireFormat)
	require.Len(t, current, months+1)
	for _, other := range []string{
		wireFormatOf(csvHeader, append(skills, "ai.new")), wireFormatOf("x,"+csvHeader, skills),
	} {
		for i, tag := range tagsOf(other) {
			require.NotEqual(t, current[i], tag)
		}
	}
	for _, other := range []Query{newQuery(testFrom, 99, ""), {ForkID: otherForkID, Period: q.Period}} {
		require.NotEqual(t, current[months], newFingerprint(wireFormat, other, make([]int64, months), months).Tag)
	}
}

// The same correction of two plays changes their combined hash. By chance, 1.5 of 100,000 pairs keep its low 16 bits.
func TestEqualCorrectionsDoNotCancel(t *testing.T) {
	e := newEnv(t)
	countUnchanged := func(expression string) int {
		return testkit.Query[int](e.World, `with made as materialized (
			select n % 100000 as pair, gen_random_uuid() as id, n % 5000 as player,
			       '2026-01-01'::timestamptz + n * interval '1 min' as started_at,
			       '2026-01-01'::timestamptz + n * interval '2 min' as completed_at,
			       1 as release_number, 4000::smallint as score, true as passed, '\x0302'::bytea as answers
			  from generate_series(0, 199999) n), pairs as (select pair,`+expression+` & 65535 as before, `+
			strings.ReplaceAll(expression, "score", "4100::smallint")+` & 65535 as after from made group by pair)
		select count(*) from pairs where before = after`)
	}
	require.LessOrEqual(t, countUnchanged(segment.PlaysHashSQL), 10)
	require.Greater(t, countUnchanged(`bit_xor(hash_record_extended((player, started_at, completed_at,
		release_number, score, passed, answers), 0))`), 500, "the pairs show what the outer hash is for")
}

// During concurrent writes, erasures and seals, a tag never identifies two contents of a report or a month.
func TestNoTagIsStaleUnderWriters(t *testing.T) {
	e := newFingerprintEnv(t)
	e.insertRandomPlays(testFrom, 100, 800)
	e.sealer.MaxDayPlays = 15 // some days are larger
	minWrites := int64(300)
	if os.Getenv("DG_SOAK") != "" {
		minWrites = 10_000
	}
	writerDB := pgtest.Open(t, e.OwnerURL, postgres.Options{MaxConns: 4})
	work, ctx := errgroup.WithContext(t.Context())
	var written, sealed, taggedReports atomic.Int64
	done := func() bool { return written.Load() >= minWrites && taggedReports.Load() >= minWrites/3 }
	var contents sync.Map // content of a report or month, by its tag
	checkTag := func(tag, content string) error {
		if former, known := contents.LoadOrStore(tag, content); known && former != content {
			return fmt.Errorf("the tag %q is stale:\n%s\n%s", tag, former, content)
		}
		return nil
	}
	repeat(ctx, work, done, 3, func(random *rand.Rand) error {
		written.Add(1)
		if random.IntN(20) == 0 {
			_, err := writerDB.Pool.Exec(ctx, `update organisations set reporting_mode = $1`,
				[]string{"nominative", "pseudonymous", "pseudonymous", "pseudonymous"}[random.IntN(4)])
			return err
		}
		return ignoreConflicts(writeRandomly(ctx, random, writerDB), "23505")
	})
	repeat(ctx, work, done, 1, func(*rand.Rand) error {
		result, err := e.sealer.Seal(ctx)
		sealed.Add(int64(result.Days))
		return err
	})
	repeat(ctx, work, done, 2, func(random *rand.Rand) error {
		q := newQuery(testFrom.AddDate(0, 0, 30*random.IntN(3)), 30+random.IntN(2)*10, "")
		q.MaxHashedPlays = 10_000
		if random.IntN(2) == 0 {
			report, err := e.reports.Open(ctx, q)
			if err != nil {
				return err
			}
			defer report.Close()
			stats, err := e.reports.Statistics(ctx, report)
			if err != nil || report.Fingerprint == nil {
				return err
			}
			players := fmt.Sprint(stats.Players())
			stats.Player = nil
			taggedReports.Add(1)
			return checkTag("statistics "+report.Fingerprint.Tag, fmt.Sprintf("%v%+v", players, stats))
		}
		export, err := e.reports.OpenExport(ctx, q, format.CSV)
		if err != nil || export.Fingerprint == nil {
			export.Close()
			return err
		}
		defer export.Close()
		var file, block []byte
		for ; err == nil; block, err = export.AppendRows(ctx, nil, 1<<16) {
			file = append(file, block...)
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
		taggedReports.Add(1)
		err = checkTag(export.Fingerprint.Tag, string(file))
		for month := range strings.SplitSeq(export.Fingerprint.Months, ", ") {
			rows := slices.DeleteFunc(strings.Split(string(file), "\n"), func(row string) bool {
				cells := strings.Split(row, ",")
				return len(cells) < 6 || !strings.HasPrefix(cells[5], month[:len("2024-01")])
			})
			err = errors.Join(err, checkTag(month, strings.Join(rows, "\n")))
		}
		return err
	})
	require.NoError(t, work.Wait())
	require.Positive(t, sealed.Load())
	e.Exec(`update organisations set reporting_mode = 'pseudonymous'`)
	e.seal(t)
	got, want := e.readFingerprints(t, newQuery(testFrom, 100, ""))
	require.Equal(t, want, got, "a hash is stale")
}

// If the fingerprint fails, a report and an export release their connection, and the report its slot.
func TestFailedFingerprintReleasesConnectionAndSlot(t *testing.T) {
	e := newFingerprintEnv(t)
	e.Exec(`alter table fork_days rename hash to other`)
	q := newQuery(testFrom, 10, "")
	q.MaxHashedPlays = 1000
	require.ErrorContains(t, tb.ErrorOf(e.reports.Open(t.Context(), q)), `column "hash"`)
	require.ErrorContains(t, tb.ErrorOf(e.reports.OpenExport(t.Context(), q, format.CSV)), `column "hash"`)
	require.Zero(t, e.DB.Pool.Stat().AcquiredConns())
	for name, limiter := range e.reports.Limiters() {
		require.Zero(t, limiter.Stats().Running, name)
	}
}

// After a restore, an import may give ordinals other pseudonyms, so tags of another history do not match.
func TestTagsOfAnotherHistoryDoNotMatch(t *testing.T) {
	e := newFingerprintEnv(t)
	e.insertRandomPlays(testFrom, 10, 50)
	before, _ := e.readFingerprints(t, newQuery(testFrom, 10, ""))
	again, _ := e.readFingerprints(t, newQuery(testFrom, 10, ""))
	require.Equal(t, before, again)
	require.Equal(t, testkit.Query[string](e.World, `select concat_ws(' ', system_identifier, timeline_id, d.oid,
		'players'::regclass::oid) from pg_control_system(), pg_control_checkpoint(), pg_database d
		where datname = current_database()`), testkit.Query[string](e.World, historySQL))
	e.Exec(`alter table players rename to former`)
	e.Exec(`create table players (like former including all)`)
	e.Exec(`insert into players select * from former`)
	e.Exec(`grant select on players to dg_app`)
	after, _ := e.readFingerprints(t, newQuery(testFrom, 10, ""))
	require.NotEqual(t, before.Tag, after.Tag)
	require.NotEqual(t, before.Months, after.Months)
}
