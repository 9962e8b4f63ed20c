package demo_test

import (
	"bytes"
	"io"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/demo"
	"dg/modules/importer"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

var now = time.Date(2026, 11, 20, 15, 30, 0, 0, time.UTC)

func demoFile(t *testing.T, now time.Time) []byte {
	var b bytes.Buffer
	require.NoError(t, demo.Write(&b, now))
	return b.Bytes()
}

// Past plays do not depend on now, so that the documentation's sample responses match every demo.
func TestPastPlaysDoNotDependOnNow(t *testing.T) {
	t.Parallel()
	plays := regexp.MustCompile(`(?m)^.*"startedAt":"2026-03-0.*$`)
	first := plays.FindAll(demoFile(t, now.AddDate(0, -7, 0)), -1)
	assert.NotEmpty(t, first)
	assert.Equal(t, first, plays.FindAll(demoFile(t, now.AddDate(3, 0, 5)), -1))
}

// The demo can be imported, and its figures look real. Each is within 2.5% of the expected value.
func TestDemoLooksReal(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t).Owner.Pool
	input := importer.Input{Name: "demo", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(demoFile(t, now))), nil
	}}
	tb.Must(importer.Importer{Pool: db}.Import(t.Context(), []importer.Input{input}, nil))(t)
	for figure, want := range map[string]float64{
		"count(*) from plays": 16_519,
		"count(*) from users": float64(len(demo.Accounts)),
		"count(*) from forks f where not exists (select from plays p where p.fork_id = f.id)": 1,
		`count(distinct get_byte(answers, i) / 2)
			from plays, generate_series(0, octet_length(answers) - 1) i`: 30,
		"avg(passed::int) from plays":                                                        0.629,
		"avg((completed_at is null)::int) from plays":                                        0.1,
		"avg((extract(isodow from started_at at time zone 'UTC') > 5)::int) from plays":      0.0152,
		"count(*) from plays where started_at >= '2026-11-19Z'":                              29,
		"count(*) from plays where started_at < '2025-11-20Z'":                               10_501,
		"count(*) from plays where greatest(started_at, completed_at) > '2026-11-20 15:30Z'": 0,
		`count(*) from players p where not exists
			(select from plays y where y.org_id = p.org_id and y.player = p.ordinal)`: 12,
		`avg(score) filter (where nth > 4) - avg(score) filter (where nth = 1) from (select score,
			row_number() over (partition by fork_id, player order by started_at) nth from plays) p`: 1_688,
	} {
		var got float64
		require.NoError(t, db.QueryRow(t.Context(), "select (select "+figure+")::float8").Scan(&got), figure)
		assert.InDelta(t, want, got, want/40, figure)
	}
}
