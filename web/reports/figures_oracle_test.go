package reports_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/web/internal/webtest"
)

// daySums are the plays of a day, counted by PostgreSQL: the API does not say how many were
// completed.
type daySums struct{ plays, completed, score int64 }

// sumDays counts the plays of a fork, or of a group of its players, by day.
func sumDays(t *testing.T, w *webtest.World, fork, group string) map[string]daySums {
	t.Helper()
	rows, err := w.DB.Owner.Pool.Query(t.Context(),
		`select to_char(started_at at time zone 'UTC', 'YYYY-MM-DD'), count(*), count(completed_at),
			coalesce(sum(score), 0)::bigint
		  from plays where fork_id = $1 and ($2 = '' or player in (select player from group_members
		    where group_id::text = $2)) group by 1`,
		fork, group)
	require.NoError(t, err)
	defer rows.Close()
	sums := map[string]daySums{}
	for rows.Next() {
		var date string
		var d daySums
		require.NoError(t, rows.Scan(&date, &d.plays, &d.completed, &d.score))
		sums[date] = d
	}
	return sums
}

// rowsOfDays are the rows of the table of days, or of weeks from Monday on beyond 92 days: days,
// date, plays, completed, average.
func rowsOfDays(t *testing.T, want statistics, sums map[string]daySums) (rows [][]string) {
	t.Helper()
	weekly := len(want.Daily) > 92
	var sum daySums
	days := 0
	for i, d := range want.Daily {
		day := sums[d.Date]
		require.Equal(t, d.Plays.String(), strconv.FormatInt(day.plays, 10))
		days++
		sum = daySums{sum.plays + day.plays, sum.completed + day.completed, sum.score + day.score}
		average := "–"
		if sum.completed > 0 {
			average = big.NewRat(sum.score, 100*sum.completed).FloatString(1) + "%"
		}
		date, err := time.Parse(time.DateOnly, d.Date)
		require.NoError(t, err)
		switch {
		case !weekly && day.completed > 0:
			require.Equal(t, average, fixed(t, d.AvgScorePercent, 1, 1)+"%")
			fallthrough
		case !weekly:
			rows = append(rows,
				[]string{"", d.Date, fmt.Sprint(sum.plays), fmt.Sprint(sum.completed), average})
		case date.Weekday() == time.Sunday || i == len(want.Daily)-1:
			rows = append(rows,
				[]string{
					fmt.Sprint(days), "", fmt.Sprint(sum.plays), fmt.Sprint(sum.completed), average,
				})
		default:
			continue
		}
		sum = daySums{}
		days = 0
	}
	return rows
}

// apiFigure is a figure in the API's answer: as a number to write with so many decimals, and
// whether it is shown as a percentage.
type apiFigure struct {
	number   json.Number
	scale    int64
	decimals int
	none     bool // there is nothing to average
}

func (s statistics) figure(name string) apiFigure {
	noneCompleted := s.CompletionRate == "0"
	return map[string]apiFigure{
		"Plays":           {s.Plays, 1, 0, false},
		"Players":         {s.UniquePlayers, 1, 0, false},
		"Average score":   {s.AvgScorePercent, 1, 1, noneCompleted},
		"Completion rate": {s.CompletionRate, 100, 2, s.Plays == "0"},
		"Pass rate":       {s.PassRate, 100, 2, noneCompleted},
	}[name]
}

func (f apiFigure) String(t *testing.T) string {
	t.Helper()
	switch {
	case f.none:
		return "–"
	case f.decimals == 0:
		return f.number.String()
	}
	return fixed(t, f.number, f.scale, f.decimals) + "%"
}

// change is how a figure differs from the one before, in the page's words.
func (f apiFigure) change(t *testing.T, before apiFigure) string {
	t.Helper()
	if f.none || before.none {
		return "no comparison"
	}
	now, _ := new(big.Rat).SetString(f.number.String())
	earlier, _ := new(big.Rat).SetString(before.number.String())
	difference := new(big.Rat).Sub(now, earlier)
	if difference.Sign() == 0 {
		return "unchanged from " + before.String(t)
	}
	sign := "+"
	word := "up"
	if difference.Sign() < 0 {
		sign = "−"
		word = "down"
	}
	size := new(big.Rat).Abs(difference)
	points := new(big.Rat).Mul(size, new(big.Rat).SetInt64(f.scale)).FloatString(f.decimals)
	if f.decimals > 0 {
		return fmt.Sprintf("%s%s percentage points, %s from %s", sign, points, word,
			before.String(t))
	}
	share := new(big.Rat).Quo(size.Mul(size, big.NewRat(100, 1)), earlier).FloatString(0) + "%"
	return fmt.Sprintf("%s%s, %s %s from %s", sign, points, word,
		strings.Replace(share, "0%", "less than 1%", map[bool]int{true: 1}[share == "0%"]),
		before.String(t))
}

var groupsOfDigits = regexp.MustCompile(`(\d),(\d{3})`)

// sameChanges compares the differences of a dashboard with the API's answers about both periods.
// Where there is nothing to compare with, the page is the same whatever the reason.
func sameChanges(t *testing.T, p webtest.Page, now, before statistics) {
	t.Helper()
	const nothing = "There is nothing to compare with in the previous period."
	var want [][]string
	switch {
	case now.Suppressed:
		require.NotContains(t, p.Body, "compare")
	case before.Suppressed || before.Plays == "0" || before.Daily == nil:
		require.Contains(t, p.Body, nothing)
	default:
		require.NotContains(t, p.Body, nothing)
		for _, name := range []string{
			"Plays", "Players", "Average score", "Completion rate", "Pass rate",
		} {
			want = append(want, []string{name, now.figure(name).change(t, before.figure(name))})
		}
	}
	require.Equal(t, want,
		webtest.Cells(changeCells, groupsOfDigits.ReplaceAllString(p.Body, "$1$2")))
}
