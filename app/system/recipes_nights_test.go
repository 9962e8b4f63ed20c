package system

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
)

// Sixty nights begin on a Saturday. They hold two first nights of a month: a Wednesday and a
// Saturday.
var firstNight = time.Date(2025, 9, 20, 0, 0, 0, 0, time.UTC)

const (
	allNights     = 60
	missedSunday  = 22 // the machine is off: Monday reads the long window
	brokenReload  = 42 // 1 November: the reload of one fork fails half-way
	changedDuring = 48 // the reporting mode changes after the night has read it
	historyOfDays = 850
)

var (
	modeFromNight = map[int]string{
		0: "nominative", 10: "pseudonymous", 25: "nominative", 33: "pseudonymous",
		changedDuring + 1: "nominative", 54: "pseudonymous",
	}
	// in days: what changes before each night, in turn
	ageOfChange = []int{1, 400, 20, 34, 700, 200, 364, 500}
)

// destination is a destination of the nightly sync.
type destination struct {
	name, to, python, needs string
	files                   string // of the copy, which hold no name in the end
	all                     bool   // only with make recipes
}

var destinations = []destination{
	{name: "csv", to: "copy", python: "python3", needs: "python3 --version",
		files: "copy/*/*"},
	{name: "duckdb", to: `it's "fresh".duckdb`, python: "python3", needs: "python3 --version && npm --version",
		files: "*.duckdb*", all: true},
	{name: "postgres", python: "/usr/bin/python3",
		needs: "/usr/bin/python3 -c 'import psycopg'", all: true},
}

// The copy of the nightly sync equals the database as far as its page promises (rules.md, CSV):
// every night for 35 days, the first night of a week for 366, the first night of a month and after
// a change of the reporting mode for all. Between the nights players are erased and renamed, and
// plays arrive and complete up to 700 days late. Every run has the first twelve nights in files,
// make recipes all of them in each destination, and make soak all of them with 500 forks in files.
func TestNightlySyncOfSixtyNights(t *testing.T) {
	t.Parallel()
	for _, to := range destinations {
		t.Run(to.name, func(t *testing.T) {
			t.Parallel()
			cookedRecipe{needs: to.needs, all: to.all}.skipIfAbsent(t)
			syncSixtyNights(t, to)
		})
	}
}

func syncSixtyNights(t *testing.T, to destination) {
	size := demo.Size{Plays: 2000, Players: 60, Forks: 2, Days: historyOfDays}
	if apptest.Soak {
		size = demo.Size{Plays: 30_000, Players: 1000, Forks: 500, Days: historyOfDays}
	}
	s := newSixtyNights(t, to, size)
	nights := 12
	if allRecipes || apptest.Soak {
		nights = allNights
	}
	var before []copiedRow
	for i := range nights {
		s.changeBefore(i)
		if i == missedSunday {
			continue
		}
		s.service.windows = nil
		s.service.refuse = s.refusalsOf(i)
		night := s.run(i)
		t.Logf("%s: %s", dateOf(i).Format(time.DateOnly), lastLine(night.Output))
		switch i {
		case brokenReload:
			s.isAllOrNothing(before, night)
		case changedDuring:
			require.Zero(t, night.Code, night.Output)
		default:
			s.holdsItsPromise(i, night)
		}
		before = night.Rows
	}
	s.keepsNoNames()
}

// sixtyNights is the nightly sync, run by testdata/recipes/nights.py against the real program.
type sixtyNights struct {
	nightly
	t        *testing.T
	to       destination
	dir      string
	database *apptest.AdminDB
	service  *flaky
	forks    []string
	input    io.Writer
	output   *bufio.Reader
}

// copiedRow is a play: of the copy, or as the copy should have it.
type copiedRow struct{ Fork, StartedAt, PlayerKey, PlayerLabel, Result string }

// UnmarshalJSON reads a row of SQLite.
func (r *copiedRow) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text,
		&[]any{&r.Fork, &r.StartedAt, &r.PlayerKey, &r.PlayerLabel, &r.Result})
}

// nightResult is what a night printed and left.
type nightResult struct {
	Code   int
	Output string
	Rows   []copiedRow
	Free   int // places of the file that may keep deleted rows
}

func newSixtyNights(t *testing.T, to destination, size demo.Size) *sixtyNights {
	t.Helper()
	s := &sixtyNights{t: t, to: to, dir: apptest.NewFolder(t)}
	h := apptest.HistoryOf(t, 27, firstNight.AddDate(0, 0, allNights), size)
	h.ImportInto(t, s.dir)
	for _, id := range h.IDs.Forks {
		s.forks = append(s.forks, id.String())
	}
	s.database = apptest.OpenAdminDB(t, s.dir)
	d := apptest.ServeOn(t, s.dir)
	s.service = newFlaky(t, d.URL)
	s.service.before = func() {}
	server := s.database.Server
	a, actor := secondInstance(t, server.URL(), server.OwnerURL(), h.IDs.Organisation.String())
	for range 50 {
		s.service.keys = append(s.service.keys, newKey(t, a, actor, "Nightly").String())
	}
	text := recipeOf(apptest.NewWebClient(t, d.URL), "nightly-sync")
	s.nightly = newNightly(t, s.atNight(strings.ReplaceAll(text, d.URL, s.service.URL)), "any")
	switch to.name {
	case "duckdb":
		c := exec.CommandContext(t.Context(), "sh", "-c", npm("@duckdb/node-api")+"true")
		c.Dir = s.folder
		require.NoError(t, c.Run())
	case "postgres":
		s.database.Do(t, `create schema warehouse`)
		s.to.to = apptest.AsSuperuser(t, server.URL()) + "&options=-csearch_path%3Dwarehouse"
	}
	s.start()
	return s
}

// atNight lets the recipe take the day from the environment.
func (s *sixtyNights) atNight(text string) string {
	s.t.Helper()
	const clock = "dt.datetime.now(dt.timezone.utc).date()"
	require.Equal(s.t, 1, strings.Count(text, clock))
	return strings.Replace(text, clock, `dt.date.fromisoformat(os.environ["NIGHT"])`, 1)
}

func (s *sixtyNights) start() {
	s.t.Helper()
	driver, err := filepath.Abs("testdata/recipes/nights.py")
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(filepath.Join(s.folder, "sync.py"), []byte(s.text), 0o600))
	since := firstNight.AddDate(0, 0, allNights-historyOfDays-1).Format(time.DateOnly)
	c := exec.CommandContext(s.t.Context(), s.to.python, driver, "sync.py",
		"--dest", s.to.name, "--to", s.to.to, "--since", since)
	c.Dir = s.folder
	c.Env = append(apptest.CleanEnvironment(), "DG_KEY_FILE=key.txt")
	c.Stderr = os.Stderr
	input, err := c.StdinPipe()
	require.NoError(s.t, err)
	output, err := c.StdoutPipe()
	require.NoError(s.t, err)
	s.input = input
	s.output = bufio.NewReader(output)
	require.NoError(s.t, c.Start())
	s.t.Cleanup(func() {
		_ = input.Close()
		_ = c.Wait()
	})
}

func dateOf(night int) time.Time { return firstNight.AddDate(0, 0, night) }

// run runs a night.
func (s *sixtyNights) run(i int) nightResult {
	s.t.Helper()
	_, err := io.WriteString(s.input, dateOf(i).Format(time.DateOnly)+"\n")
	require.NoError(s.t, err)
	line, err := s.output.ReadBytes('\n')
	require.NoError(s.t, err)
	var night nightResult
	require.NoError(s.t, json.Unmarshal(line, &night))
	return night
}

const (
	// makes the reload of a fork fail within its transaction
	refuseInserts = `create function warehouse.refuse() returns trigger language plpgsql as
		$$begin raise 'no space'; end$$; create trigger refuse before insert on warehouse.dg_plays `
	lateCompletion = `update plays set completed_at = started_at + interval '1 day', score = 7500,
		passed = true where id =
		(select id from plays where completed_at is null and started_at < $1 order by started_at desc limit 1)`
	latePlay = `insert into plays (id, started_at, player, release_number, org_id, fork_id, answers)
		select gen_random_uuid(), started_at, player, release_number, org_id, fork_id, answers from plays
		where started_at < $1 order by started_at desc limit 1`
	anotherName = `update players set display_name = display_name || ' II' where id =
		(select p.id from players p join plays on plays.player = p.ordinal where started_at < $1
		order by started_at desc limit 1)`
	playerOfThen = `select p.id::text from players p join plays on plays.player = p.ordinal where started_at < $1
		order by started_at desc limit 1`
)

// changeBefore changes the database between two nights.
func (s *sixtyNights) changeBefore(i int) {
	s.t.Helper()
	if mode := modeFromNight[i]; mode != "" {
		s.database.Do(s.t, `update organisations set reporting_mode = $1`, mode)
	}
	if s.to.name == "postgres" && i == brokenReload {
		s.database.Do(s.t, refuseInserts+`for each row when (new."forkId" = '`+s.forks[1]+
			`') execute function warehouse.refuse()`)
	}
	if s.to.name == "postgres" && i == brokenReload+1 {
		s.database.Do(s.t, `drop function warehouse.refuse() cascade`)
	}
	then := dateOf(i).AddDate(0, 0, -ageOfChange[i%len(ageOfChange)])
	s.database.Do(s.t, lateCompletion, then)
	s.database.Do(s.t, latePlay, then)
	if i%5 == 2 {
		s.database.Do(s.t, anotherName, then)
	}
	if i%3 == 2 {
		apptest.Succeeds(s.t, s.dir, "erase",
			apptest.Read[string](s.t, s.database, playerOfThen, then))
	}
}

// refusalsOf decides which exports of the night are refused.
func (s *sixtyNights) refusalsOf(i int) func(path string) bool {
	windows := 0
	return func(path string) bool {
		if i == changedDuring {
			_, err := s.database.Exec(s.t.Context(), `update organisations set reporting_mode = $1`,
				modeFromNight[i+1])
			assert.NoError(s.t, err)
		}
		if i != brokenReload || s.to.name == "postgres" || !strings.Contains(path, s.forks[1]) {
			return false
		}
		windows++
		return windows == 2
	}
}

// holdsItsPromise requires that the copy equals the database on the days that the night has read.
func (s *sixtyNights) holdsItsPromise(i int, night nightResult) {
	s.t.Helper()
	require.Zero(s.t, night.Code, "%s: %s", dateOf(i), night.Output)
	require.Zero(s.t, night.Free, "%s: free places keep names", dateOf(i))
	date := dateOf(i)
	days := 35
	windows := 1
	if date.Weekday() == time.Sunday || i == missedSunday+1 {
		days = 366
	}
	if i == 0 || date.Day() == 1 || modeFromNight[i] != "" {
		days = historyOfDays
		windows = 3
	}
	if i == brokenReload+1 {
		days = historyOfDays // the failed fork is read from the start, the other one for 366 days
	} else {
		assert.Len(s.t, s.service.windows, windows*len(s.forks), "%s: requests", date)
	}
	since := date.AddDate(0, 0, -days).Format(time.DateOnly)
	assert.Equal(s.t, rowsOf(s.truth(date), "", since), rowsOf(night.Rows, "", since), "%s", date)
}

// isAllOrNothing requires of the night whose reload fails half-way: it exits with 1, the fork's
// copy is as it was, and the other fork is reloaded.
func (s *sixtyNights) isAllOrNothing(before []copiedRow, night nightResult) {
	s.t.Helper()
	require.Equal(s.t, 1, night.Code, night.Output)
	require.Contains(s.t, night.Output,
		fmt.Sprintf("%d of %d forks", len(s.forks)-1, len(s.forks)))
	require.Equal(s.t, rowsOf(before, s.forks[1], ""), rowsOf(night.Rows, s.forks[1], ""))
	require.Equal(s.t, rowsOf(s.truth(dateOf(brokenReload)), s.forks[0], ""),
		rowsOf(night.Rows, s.forks[0], ""))
}

// rowsOf are the rows of a fork, or of all, since a day, in order.
func rowsOf(rows []copiedRow, fork, since string) (of []string) {
	for _, row := range rows {
		if strings.HasPrefix(row.Fork, fork) && row.StartedAt >= since {
			of = append(of, fmt.Sprint(row))
		}
	}
	slices.Sort(of)
	return of
}

// truth is the right content of a full copy: every play up to yesterday.
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

// keepsNoNames requires that no file of the copy contains a name, even in its free pages.
func (s *sixtyNights) keepsNoNames() {
	s.t.Helper()
	if s.to.files == "" {
		return // PostgreSQL keeps a deleted row until its place is used again
	}
	files, err := filepath.Glob(filepath.Join(s.folder, s.to.files))
	require.NoError(s.t, err)
	require.NotEmpty(s.t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(s.t, err)
		require.False(s.t, bytes.Contains(text, []byte("Player ")), "%s holds a name", file)
	}
}
