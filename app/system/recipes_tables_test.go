package system

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// tableRecipe reads all forks into tables and draws a chart.
type tableRecipe struct {
	cookedRecipe
	picture  string // the file that it draws, or ""
	terminal bool   // whether it draws in the terminal
	curl     bool   // whether it runs curl, which waits for Retry-After and ignores RateLimit
}

func tableRecipes(t *testing.T) []tableRecipe {
	return []tableRecipe{
		{picture: "dg.png", cookedRecipe: cookedRecipe{id: "python", file: "dg.py", command: "PYTHON FILE",
			needs: "PYTHON -c 'import matplotlib, pandas, requests'"}},
		{picture: "dg.png", cookedRecipe: cookedRecipe{id: "r", file: "dg.R", command: "Rscript FILE",
			needs: "Rscript -e 'library(httr2); library(jsonlite); library(readr)'", all: true}},
		{cookedRecipe: cookedRecipe{id: "google-sheets", file: "dg.gs",
			command: "node DRIVERS/google.cjs FILE", needs: "node --version && curl --version"}},
		{cookedRecipe: cookedRecipe{id: "power-bi", file: "dg.pq", all: true, needs: "node --version",
			command: npm("@microsoft/powerquery-parser") + "node DRIVERS/powerquery.cjs FILE"}},
		{terminal: true, curl: true, cookedRecipe: cookedRecipe{id: "duckdb", file: "dg.duckdb.sql", all: true,
			needs:   "node --version && curl --version",
			command: npm("@duckdb/node-api") + "node DRIVERS/duckdb.mjs FILE"}},
		{terminal: true, curl: true, cookedRecipe: cookedRecipe{id: "postgresql", file: "dg.psql", all: true,
			needs:   "psql --version && curl --version",
			command: "psql '" + fixtures.New(t).OwnerURL + "' -tA -f FILE"}},
		{picture: "dg.svg", cookedRecipe: cookedRecipe{id: "javascript", file: "dg.mjs",
			command: "node FILE", needs: "node -e 'fetch'"}},
		{terminal: true, curl: true, cookedRecipe: cookedRecipe{id: "curl", file: "dg.sh",
			command: "bash FILE", needs: "bash --version && curl --version && jq --version"}},
	}
}

// tables are the right figures of a recipe of tables.
type tables struct {
	figures string
	daily   int // plays, by the days of the statistics
	hour    string
	hidden  int // periods
}

// tablesOf computes them from the API, for the forks whose title begins with title, since a day.
func (b *cookbook) tablesOf(t *testing.T, day, title, group string) tables {
	t.Helper()
	var list struct{ Items []struct{ ID, Title string } }
	require.NoError(t, json.Unmarshal([]byte(b.Fetch("/api/v1/forks", b.token)), &list))
	paris, err := time.LoadLocation("Europe/Paris")
	require.NoError(t, err)
	first, err := time.Parse(time.DateOnly, day)
	require.NoError(t, err)
	got := tables{}
	rows := [][]string{{"header"}}
	forks := 0
	var hours [24]int
	for _, fork := range list.Items {
		if !strings.HasPrefix(fork.Title, title) {
			continue
		}
		forks++
		for from := first; !from.After(b.today); from = from.AddDate(0, 0, 366) {
			query := "?from=" + from.Format(time.DateOnly) + "&to=" +
				min(from.AddDate(0, 0, 365).Format(time.DateOnly), b.today.Format(time.DateOnly)) + group
			var stats struct {
				Suppressed bool
				Daily      []struct{ Plays int }
			}
			at := "/api/v1/forks/" + fork.ID
			require.NoError(t, json.Unmarshal([]byte(b.Fetch(at+"/stats"+query, b.token)), &stats))
			if stats.Suppressed {
				got.hidden++
				continue
			}
			for _, day := range stats.Daily {
				got.daily += day.Plays
			}
			for _, row := range readCSV(t, b.Fetch(at+"/exports/csv"+query, b.token))[1:] {
				started, err := time.Parse(time.RFC3339, row[5])
				require.NoError(t, err)
				hours[started.In(paris).Hour()]++
				rows = append(rows, row)
			}
		}
	}
	most := 0
	for hour := range hours {
		if hours[hour] > hours[most] {
			most = hour
		}
	}
	got.figures = fmt.Sprintf("%d forks, %s", forks, figuresOf(rows))
	got.hour = fmt.Sprintf(`most plays start at 0?%d\b.*\b%d\b`, most, hours[most])
	return got
}

// Each recipe of tables reads every play of every fork over two years, with its times in the
// reader's zone, and draws them. A fork called 1/2 stays one.
func checkTables(t *testing.T, shared *cookbook) {
	b := *shared
	b.db.Do(t, `update forks set title = '1/2' where title = 'Datenlotsen'`)
	organisation := apptest.Read[string](t, b.db,
		`select org_id::text from forks where title = '1/2'`)
	b.token = makeKey(t, b.dir, organisation, "All tables").String()
	idle := apptest.Read[string](t, b.db, `select id::text from forks where title = '1/2'`)
	everything := b.tablesOf(t, b.from, "", "")
	require.Zero(t, everything.hidden)
	leads := apptest.Read[string](t, b.db,
		`select id::text from player_groups where name = 'Warehouse leads'`)
	some := b.tablesOf(t, b.year, "", "&groupId="+leads)
	require.Equal(t, 1, some.hidden, "the fork without plays")
	dock := b.tablesOf(t, b.year, "Prompting at the Dock", "")
	for _, r := range tableRecipes(t) {
		t.Run(r.id, func(t *testing.T) {
			t.Parallel()
			r.skipIfAbsent(t)
			b := b // with a key, and so a rate limit, of its own
			b.token = makeKey(t, b.dir, organisation, r.id).String()
			text := b.recipe(r.id)
			r.requireTables(t, &b, strings.ReplaceAll(text, b.year, b.from), everything)
			out := r.requireTables(t, &b, with(t, text, "group", leads), some)
			require.Regexp(t, `1/2.*hidden`, out)
			require.NotRegexp(t, `Dock.*hidden`, out)
			b.requireHidden(t, r.cookedRecipe)
			r.requireWhole(t, &b, with(t, text, "fork", b.fork))

			service := newBusyService(t, b.URL)
			through := strings.ReplaceAll(text, b.URL, service.URL)
			r.requireTables(t, &b, with(t, through, "fork", b.fork), dock)
			r.requirePaced(t, service)

			none := "1 forks, 0 plays, 0 players"
			if r.id == "curl" {
				none = "  0  ▁▁▁"
			}
			out = r.run(t, t.TempDir(), with(t, text, "fork", idle), b.token)
			require.Contains(t, figuresIn(out), none)
		})
	}
}

// requireTables runs the recipe and requires the figures.
func (r tableRecipe) requireTables(t *testing.T, b *cookbook, text string, want tables) string {
	t.Helper()
	b.forgetRequests(t)
	folder := t.TempDir()
	out := figuresIn(r.run(t, folder, text, b.token))
	if r.id == "curl" { // prints the chart, and saves the rows as they are
		file, err := os.ReadFile(filepath.Join(folder, "plays.csv"))
		require.NoError(t, err)
		require.Contains(t, want.figures, figuresOf(readCSV(t, string(file))))
	} else {
		require.Contains(t, out, want.figures)
		require.Regexp(t, want.hour, out)
	}
	if r.terminal {
		require.Equal(t, want.daily, sumIn(t, out), "by the chart")
	} else {
		require.Contains(t, out, fmt.Sprintf(" %d plays\n", want.daily), "by day")
	}
	if r.picture != "" {
		picture, err := os.ReadFile(filepath.Join(folder, r.picture))
		require.NoError(t, err)
		if r.picture == "dg.svg" {
			require.NoError(t, xml.Unmarshal(picture, new(struct{})))
			require.Contains(t, string(picture), "<polyline")
		} else {
			_, err = png.Decode(bytes.NewReader(picture))
			require.NoError(t, err)
		}
	}
	return out
}

var (
	figureRow = regexp.MustCompile(`(?m)^(\d+)\|(\d+)\|(\d+)\|(\d+)\|([\d.]*)$`)
	hourRow   = regexp.MustCompile(`(?m)^(\d+)\|Europe/Paris\|(\d+)$`)
	chartRow  = regexp.MustCompile(`(?m)^(?:.*\||.*"plays":|.* )(\d+)(?:\||  |,"by week, same scale":")[▁▂▃▄▅▆▇█]+"?}?$`)
)

// figuresIn writes the rows of psql as the other recipes do.
func figuresIn(out string) string {
	out = figureRow.ReplaceAllString(out, "$1 forks, $2 plays, $3 players, $4 completed, average score $5")
	return hourRow.ReplaceAllString(out, "most plays start at $1: $2")
}

// sumIn is the sum of the plays in a chart of text.
func sumIn(t *testing.T, out string) (sum int) {
	t.Helper()
	rows := chartRow.FindAllStringSubmatch(out, -1)
	require.NotEmpty(t, rows, out)
	for _, row := range rows {
		var plays int
		_, err := fmt.Sscan(row[1], &plays)
		require.NoError(t, err)
		sum += plays
	}
	return sum
}

// requirePaced requires that the recipe waited for Retry-After and, where it reads the header, for
// RateLimit.
func (r tableRecipe) requirePaced(t *testing.T, service *busyService) {
	t.Helper()
	require.Equal(t, "forks", service.asked[0])
	require.Equal(t, "forks", service.asked[1], "asked again")
	for i := range service.times[1:] {
		if i == 0 || !r.curl && r.id != "power-bi" {
			require.Greater(t, service.times[i+1].Sub(service.times[i]), 900*time.Millisecond)
		}
	}
}

// requireWhole requires that the recipe fails when an export breaks off.
func (r tableRecipe) requireWhole(t *testing.T, b *cookbook, text string) {
	t.Helper()
	to, err := url.Parse(b.URL)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(to)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/csv") {
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write([]byte(b.Fetch(r.URL.RequestURI(), b.token)[:500]))
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	defer service.Close()
	through := strings.NewReplacer(b.URL, service.URL, "max_tries = 8", "max_tries = 2").Replace(text)
	folder := t.TempDir()
	out, err := r.start(t, folder, through, b.token)
	require.Error(t, err, "%s", out)
	require.NotContains(t, figuresIn(out), "average score")
	require.NoFileExists(t, filepath.Join(folder, "plays.csv"))
}
