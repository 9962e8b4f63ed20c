package system

import (
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// requireNoDifference compares the copy with the database from so many days before the night.
func (s *sixtyNights) requireNoDifference(date time.Time, days int, rows []copiedRow) {
	s.t.Helper()
	since := date.AddDate(0, 0, -days).Format(time.DateOnly)
	wrong := map[copiedRow]int{}
	for _, row := range s.truth(date) {
		if row.StartedAt >= since {
			wrong[row]++
		}
	}
	total := len(wrong)
	for _, row := range rows {
		if row.StartedAt >= since {
			wrong[row]--
		}
	}
	players := s.labels()
	var stale, missing, names, erased int
	for row, n := range wrong {
		switch {
		case n > 0:
			missing++
		case n < 0:
			stale++
			if row.PlayerLabel != row.PlayerKey {
				names++
			}
			if !players[row.PlayerKey] {
				erased++
			}
		}
	}
	assert.Zero(s.t, stale+missing,
		"%s, %d days, %d rows: %d are stale (%d with names, %d of erased players), %d are missing",
		date.Format("Mon 2 Jan"), days, total, stale, names, erased, missing)
}

// truth is what a copy has that is read from the start: every play up to yesterday.
func (s *sixtyNights) truth(night time.Time) []copiedRow {
	s.t.Helper()
	rows, err := s.database.Query(s.t.Context(), `
		select f.id::text, to_char(p.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), pl.label,
		       case o.reporting_mode when 'nominative' then pl.display_name else pl.label end,
		       p.id || ' ' || coalesce(to_char(p.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '-')
		       || ' ' || coalesce(p.score::text, '-') || ' ' || coalesce(p.passed::int::text, '-')
		  from plays p join forks f on f.id = p.fork_id join organisations o on o.id = f.org_id
		  join players pl on pl.org_id = p.org_id and pl.ordinal = p.player
		 where p.started_at < $1`, night)
	require.NoError(s.t, err)
	truth, err := pgx.CollectRows(rows, pgx.RowToStructByPos[copiedRow])
	require.NoError(s.t, err)
	return truth
}

// labels are the pseudonyms of the players who are not erased.
func (s *sixtyNights) labels() map[string]bool {
	s.t.Helper()
	labels := map[string]bool{}
	for _, label := range apptest.Read[[]string](s.t, s.database,
		`select array_agg(label) from players`) {
		labels[label] = true
	}
	return labels
}
