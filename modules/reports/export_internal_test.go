package reports

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// rules.md, CSV: a row for each play of the period, ordered by startedAt, then playId.
func TestExportHasEachPlayOfAnInstant(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
		select gen_random_uuid(), $1, $2, 1 + i % 40, $3, '' from generate_series(1, 1203) i`,
		testOrg, testFork, testFrom)
	for player := range 40 {
		e.play(testFork, 1+player, testFrom.Add(-time.Millisecond), testFrom.Add(day))
	}
	for _, c := range []struct {
		name, group string
		last        int // ordinal, which decides whether a group is large
	}{{"everybody", "", 40}, {"a large group", testGroup, 40}, {"a small group", testGroup, 4000}} {
		e.Exec(`insert into players values (gen_random_uuid(), $1, $2, 'last', '')
			on conflict do nothing`, testOrg, c.last)
		q := query(testFrom, 1, c.group)
		rows, err := e.Owner.Pool.Query(t.Context(), `select id::text from plays
			where started_at = $2 and ($1 = '' or player in (select player from group_members
			  where group_id::text = $1))
			order by id`, c.group, testFrom)
		require.NoError(t, err)
		want, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		var got []string
		for line := range strings.Lines(e.export(t, q, CSV)) {
			id, _, _ := strings.Cut(line, ",")
			got = append(got, id)
		}
		require.Equal(t, want, got[1:], c.name) // behind the header
		stats, err := e.statistics(t.Context(), q)
		require.NoError(t, err)
		require.EqualValues(t, len(want), stats.Plays, c.name)
	}
}
