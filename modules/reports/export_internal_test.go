package reports

import (
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkExport exports 200,000 plays of 5,000 players.
func BenchmarkExport(b *testing.B) {
	for _, mode := range []string{"pseudonymous", "nominative"} {
		b.Run(mode, func(b *testing.B) {
			e := newEnv(b)
			for _, sql := range []string{
				`update organisations set reporting_mode = '` + mode + `'`,
				`insert into players (id, org_id, ordinal, label, display_name) select gen_random_uuid(), '` + testOrg + `', i, 'P-' || lpad(i::text, 10, '0'), 'Player ' || i from generate_series(41, 5000) i`,
				`update player_ordinals set last = 5000`,
				`insert into plays (id, org_id, fork_id, player, started_at, completed_at, score, passed, answers)
					select gen_random_uuid(), '` + testOrg + `', '` + testFork + `', 1 + i * 7 % 5000, s, s + interval '5 s', i % 10001, i % 2 = 0, '\x0203081c'
					from generate_series(1, 200000) i, lateral (select '2023-11-20'::timestamptz + i * interval '13 s' as s) x`,
				`analyze`,
			} {
				_, err := e.db.Owner.Pool.Exec(b.Context(), sql)
				require.NoError(b, err)
			}
			buffer := make([]byte, 0, 4<<10)
			b.ResetTimer()
			before := processorTime(b)
			for b.Loop() {
				x, err := e.reports.Export(b.Context(), Query{OrganisationID: testOrg, ForkID: testFork, Period: Period{From: testFrom, Days: 100}}, CSV)
				require.NoError(b, err)
				for err == nil {
					_, err = x.Next(buffer)
				}
				require.ErrorIs(b, err, io.EOF)
				require.EqualValues(b, 200_000, x.Rows())
				x.Close()
			}
			rows := 200_000 * float64(b.N)
			b.ReportMetric(rows/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(processorTime(b)-before)/rows, "cpu-ns/row") // of this process, which others do not disturb
		})
	}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// A panic at the first row is an error of the export: its caller closes it as after any other.
func TestPanicAtTheFirstRowIsAnError(t *testing.T) {
	t.Parallel()
	e := &Export{ctx: t.Context(), snap: &snapshot{}} // without a connection, reading panics
	require.NotPanics(t, e.Begin)
	_, err := e.Next(nil)
	require.ErrorContains(t, err, "panic at the first row")
	require.NotPanics(t, e.Close)
}
