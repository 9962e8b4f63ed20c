package reports

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/format"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// openapi.yaml, exportForkPlaysCsv: rows are ordered by startedAt, then playId, before and after firstRows.
func TestExportOrdersPlaysOfAnInstantByID(t *testing.T) {
	e := newEnv(t)
	e.AddPlays(testFork, 1203, testFrom, 0)
	for player := range 40 {
		e.storePlays(testForkID, 1+player, testFrom.Add(-time.Millisecond), testFrom.Add(day))
	}
	for _, c := range []struct {
		group          string
		highestOrdinal int // decides whether a group is large
	}{{"", 40}, {testGroupID, 40}, {testGroupID, 4000}} {
		e.Exec(`insert into players values (gen_random_uuid(), $1, $2, 'last', '')
			on conflict do nothing`, testOrgID, c.highestOrdinal)
		q := newQuery(testFrom, 1, c.group)
		want := testkit.Query[[]string](e.World, `select array(select id::text from plays
			where started_at = $2 and ($1 = '' or player in (select player from group_members
			  where group_id::text = $1)) order by id)`, c.group, testFrom)
		var got []string
		export, file := e.exportFile(t, q, format.CSV)
		for line := range strings.Lines(file) {
			got = append(got, line[:len(testForkID)])
		}
		require.Equal(t, want, got[1:], c) // got begins with the header
		require.EqualValues(t, len(want), export.PlaysReturned, c)
		require.EqualValues(t, len(want), e.mustStatistics(t, q).Plays, c)
	}
}

// rules.md, CSV: the format for Excel has semicolons, decimal commas, and the formula guard also within a cell.
func TestExcelExportHasSemicolonsAndDecimalCommas(t *testing.T) {
	e := newEnv(t)
	e.Exec(`update players set display_name = 'Zoë;=1,+2' || chr(10) || '@x' where ordinal = 1`)
	e.Exec(
		`insert into plays (id, org_id, fork_id, player, release_number, started_at, completed_at,
			score, passed, answers) values
		('00000000-0000-4000-8000-00000000000a', $1, $2, 1, 7, '2023-11-20 09:30:00.123Z',
		  '2023-11-20 09:41:12.5Z', 8750, true, '\x013afe'),
		('00000000-0000-4000-8000-00000000000b', $1, $2, 2, null, '2023-11-20 10:00:00Z',
		  '2023-11-20 10:00:01Z', 10000, false, ''),
		('00000000-0000-4000-8000-00000000000c', $1, $2, 2, null, '2023-11-20 11:00:00Z', null, null, null, '')`,
		testOrgID, testForkID)
	const (
		nameCell = "\"Zoë;'=1,'+2\n'@x\""
		first    = "00000000-0000-4000-8000-00000000000a|" + testForkID + "|7|P-1|" + nameCell +
			"|2023-11-20 09:30:00|2023-11-20 09:41:12|672|true|87,5|true|" +
			"\"prompting.context=1/1;data.reading.proportions=0/1\"\n"
		second = "00000000-0000-4000-8000-00000000000b|" + testForkID +
			"||P-2|Player 2|2023-11-20 10:00:00|2023-11-20 10:00:01|1|true|100|false|\"\"\n"
		third = "00000000-0000-4000-8000-00000000000c|" + testForkID +
			"||P-2|Player 2|2023-11-20 11:00:00|||false|||\"\"\n"
	)
	_, excel := e.exportFile(t, newQuery(testFrom, 1, ""), format.ExcelSemicolon)
	want := strings.ReplaceAll(csvHeader, ",", ";") + strings.ReplaceAll(first+second+third, "|", ";")
	require.Equal(t, "\uFEFF"+want, excel)
}

// rules.md, CSV: playerKey is the pseudonym in both modes. Each row has the label of its own player, cached or not.
func TestExportNamesThePlayerOfEachRow(t *testing.T) {
	e := newEnv(t)
	e.AddPlays(testFork, firstRows, testFrom, 0)
	e.AddPlayers(testOrgID, 1_000)
	e.Exec(`update plays set release_number = nullif(player % 10, 0),
		answers = substr($1::bytea, 1, player % 10)`, make([]byte, 9))
	for group, count := range map[string]int{"": firstRows, testGroupID: firstRows / 4} {
		for mode, prefix := range map[string]string{"nominative": "Player ", "pseudonymous": "P-"} {
			e.Exec(`update organisations set reporting_mode = $2 where id = $1`, testOrgID, mode)
			export, file := e.exportFile(t, newQuery(testFrom, 1, group), format.CSV)
			require.Equal(t, group == "", export.cells != nil)
			rows := strings.Split(strings.TrimSpace(file), "\n")[1:]
			require.Len(t, rows, count)
			for _, row := range rows {
				cells := strings.Split(row, ",")
				number := strings.TrimPrefix(cells[3], "P-")
				digit := strings.TrimPrefix(number[len(number)-1:], "0")
				skills := strings.Repeat("prompting.context=0/"+digit, len(digit))
				require.Equal(t, []string{digit, "P-" + number, prefix + number, skills}, append(cells[2:5], cells[11]))
			}
		}
	}
}

// If a host program's view of players omits a player, the player's cells and label are empty.
func TestPlaysOfAMissingPlayerAreShownWithoutLabel(t *testing.T) {
	e := newEnv(t)
	e.AddPlays(testFork, 2*firstRows, testFrom, 0)
	e.storePlays(testForkID, 40, testFrom.Add(2*time.Hour), testFrom.Add(day-time.Millisecond))
	e.Exec(`alter table plays drop constraint plays_org_id_player_fkey`)
	e.Exec(`delete from players where ordinal = 40`)
	_, file := e.exportFile(t, newQuery(testFrom, 1, ""), format.CSV)
	unnamed := 0
	for row := range strings.SplitSeq(strings.TrimSpace(file), "\n") {
		cells := strings.Split(row, ",")
		require.Len(t, cells, 12, row)
		require.Equal(t, cells[3] == "", cells[4] == "", row)
		if cells[3] == "" {
			unnamed++
		}
	}
	require.Equal(t, e.CountRows(`plays where player = 40`), unnamed) // no row repeats the key of the previous row
	s := e.mustStatistics(t, newQuery(testFrom, 1, ""))
	require.True(t, slices.ContainsFunc(s.Players(), func(p PlayerStat) bool { return p.Label == "" }))
	o := tb.Must(e.reports.Overview(t.Context(), newQuery(testFrom, 1, ""), Period{}))(t)
	require.Equal(t, s.UniquePlayers, o.Current.UniquePlayers)
}

func (e *env) exportFile(t *testing.T, q Query, f format.Dialect) (export *Export, file string) {
	export = tb.Must(e.reports.OpenExport(t.Context(), q, f))(t)
	defer export.Close()
	text := tb.Must(export.AppendRows(t.Context(), nil, 1<<20))(t)
	require.ErrorIs(t, tb.ErrorOf(export.AppendRows(t.Context(), nil, 1)), io.EOF)
	return export, string(text)
}

// The first rows do not wait for the labels of all players. The timeouts exceed the 30 minutes of an export.
func TestFirstRowsDoNotWaitForAllPlayers(t *testing.T) {
	e := newEnv(t)
	e.AddPlays(testFork, 2*firstRows, testFrom, 0)
	export := e.openExport(t, newQuery(testFrom, 1, ""))
	text := tb.Must(export.AppendRows(t.Context(), nil, 10_000))(t)
	require.Greater(t, len(text), 10_000)
	require.Nil(t, export.cells)
	tb.Must(export.AppendRows(t.Context(), nil, 1<<20))(t)
	require.NotNil(t, export.cells)
	require.EqualValues(t, 2*firstRows, export.PlaysReturned)
	var timeouts string
	require.NoError(t, export.conn.QueryRow(t.Context(), `select current_setting('statement_timeout') || ' ' ||
		current_setting('idle_in_transaction_session_timeout')`).Scan(&timeouts))
	require.Equal(t, "31min 31min", timeouts, "a slow client may take 30 minutes")
}
