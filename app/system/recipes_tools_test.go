package system

import (
	"bytes"
	"encoding/json"
	"html"
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

// loadsIntoDatabases loads plays.csv of the folder as the recipes of DuckDB and PostgreSQL do, and
// once more without rows.
func loadsIntoDatabases(t *testing.T, folder string, b *cookbook) {
	t.Helper()
	if !allRecipes {
		return
	}
	for _, r := range []cookedRecipe{
		{id: "duckdb", file: "plays.duckdb.sql",
			command: npm("@duckdb/node-api") + "node DRIVERS/duckdb.mjs FILE"},
		{id: "postgresql", file: "plays.psql",
			command: "psql '" + fixtures.New(t).OwnerURL + "' -qtA -v ON_ERROR_STOP=1 -f FILE"},
	} {
		out := r.run(t, folder, b.recipe(r.id), b.token)
		if r.id == "postgresql" {
			out = regexp.MustCompile(`(\d+)\|(\d+)\|(\d+)\|`).
				ReplaceAllString(out, "$1 plays, $2 players, $3 completed, average score ")
		}
		require.Contains(t, out, b.want, r.id)
		empty := t.TempDir()
		require.NoError(t, os.CopyFS(empty, os.DirFS(folder)))
		cutToHeader(t, filepath.Join(empty, "plays.csv"))
		none := r.run(t, empty, b.recipe(r.id), b.token)
		require.Contains(t, none, "0", r.id)
		if r.id == "duckdb" {
			types := out[strings.LastIndex(out, "UUID UUID"):]
			require.Contains(t, types,
				"INTEGER VARCHAR VARCHAR TIMESTAMP TIMESTAMP BIGINT BOOLEAN DECIMAL(5,2) BOOLEAN VARCHAR")
			require.Contains(t, none, types, "without rows")
		}
	}
}

func npm(
	pkg string,
) string {
	return "npm install --silent --no-audit --no-fund " + pkg + " >&2 && "
}

func cutToHeader(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	header, _, _ := bytes.Cut(text, []byte("\n"))
	require.NoError(t, os.WriteFile(file, append(header, '\n'), 0o600))
}

// The recipe of Power BI and Excel reads no header: outside a custom connector a query sees only
// some. It asks the statistics whether a group is hidden before it reads the plays (rules.md,
// Anonymity).
func checkPowerQuery(t *testing.T, b *cookbook) {
	r := cookedRecipe{id: "power-bi", file: "plays.pq",
		command: npm("@microsoft/powerquery-parser") + "node DRIVERS/powerquery.cjs FILE"}
	text := b.recipe(r.id)
	require.NotContains(t, text, "Value.Metadata")
	require.NotContains(t, text, "ManualStatusHandling")
	require.Contains(t, text,
		`Hidden = Group <> "" and Json.Document(Get("/stats", Query))[suppressed]`)
	require.Regexp(t, `if Hidden then\s+error `, text)
	if !allRecipes {
		t.Skip("SKIPPED: make recipes evaluates it")
	}
	service := newBusyService(t, b.URL)
	through := strings.ReplaceAll(text, b.URL, service.URL)
	require.Contains(t, r.run(t, t.TempDir(), through, b.token), b.want)
	require.Equal(t, []string{"csv", "csv", "csv"}, service.asked, "a refused one, and two windows")
	require.Greater(t, service.times[1].Sub(service.times[0]), 900*time.Millisecond)

	shown := apptest.Read[string](t, b.db,
		`select id::text from player_groups where name = 'Warehouse leads'`)
	service.asked = nil
	out := r.run(t, t.TempDir(), ofGroup(t, through, shown), b.token)
	require.Contains(t, out, b.figures(t, "&groupId="+shown))
	require.Equal(t, []string{"stats", "csv", "stats", "csv"}, service.asked)
	b.requireHidden(t, r)
	require.Contains(t, r.run(t, t.TempDir(), b.idle(text), b.token), "0 plays, 0 players")
}

// checkGrafana sends the requests of the dashboard and requires that each column is in the answer,
// with its type.
func checkGrafana(t *testing.T, b *cookbook) {
	var dashboard struct {
		Panels []struct {
			FieldConfig struct{ Defaults struct{ NoValue string } }
			Targets     []struct {
				URL     string
				Options struct{ Params []struct{ Key, Value string } } `json:"url_options"`
				Root    string                                         `json:"root_selector"`
				Filter  string                                         `json:"filterExpression"`
				Columns []struct{ Selector, Text, Type string }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(b.recipe("grafana")), &dashboard))
	now := time.Now().UTC()
	day := strings.NewReplacer("${__from:date:YYYY-MM-DD}",
		now.AddDate(0, 0, -90).Format(time.DateOnly), "${__to:date:YYYY-MM-DD}",
		now.Format(time.DateOnly))
	require.Len(t, dashboard.Panels, 2)
	for _, panel := range dashboard.Panels {
		target := panel.Targets[0]
		query := url.Values{}
		for _, p := range target.Options.Params {
			query.Set(p.Key, day.Replace(p.Value))
		}
		at := strings.TrimPrefix(target.URL, b.URL) + "?" + query.Encode()
		var row map[string]any
		require.NoError(t, json.Unmarshal([]byte(b.Fetch(at, b.token)), &row))
		if target.Root != "" {
			rows := row[target.Root].([]any)
			require.Len(t, rows, 91)
			row = rows[0].(map[string]any)
		}
		// A hidden group leaves no row, and the panel then shows the text for no value.
		require.Contains(t, panel.FieldConfig.Defaults.NoValue, "This is not zero.")
		var hidden struct {
			Suppressed bool
			Daily      []any
		}
		of := b.Fetch(at+"&groupId="+b.group, b.token)
		require.NoError(t, json.Unmarshal([]byte(of), &hidden))
		require.True(t, hidden.Suppressed)
		require.Empty(t, hidden.Daily)
		if target.Root != "daily" {
			require.Equal(t, "suppressed == false", target.Filter)
			require.Equal(t, "suppressed", target.Columns[len(target.Columns)-1].Text,
				"the filter names a column")
		}
		for _, c := range target.Columns {
			want := map[string]any{"number": 0.0, "timestamp": "", "boolean": false}[c.Type]
			require.IsType(t, want, row[c.Selector], c.Selector)
		}
	}
}

var (
	startLanguages = map[string]cookedRecipe{
		"curl":       {file: "start.sh", command: "bash FILE", needs: "curl --version"},
		"python":     {file: "start.py", command: "PYTHON FILE", needs: "PYTHON -c 'import requests'"},
		"javascript": {file: "start.mjs", command: "node FILE", needs: "node -e 'fetch'"},
		// the export only
		"php": {file: "start.php", command: "php FILE", needs: "php -r 'curl_version();'"},
		"r": {file: "start.R", command: "Rscript FILE", needs: "Rscript -e 'library(httr2)'",
			all: true},
	}
	startText = regexp.MustCompile(`(?s)<code id="(forks|stats|csv)-(\w+)">(.*?)</code>`)
)

// The first requests of /docs, in each language, answer what the page says.
func checkQuickstart(t *testing.T, b *cookbook) {
	steps := startText.FindAllStringSubmatch(b.reader.Get("/docs"), -1)
	seen := map[string]bool{}
	for _, step := range steps {
		r, ok := startLanguages[step[2]]
		if !ok {
			continue // a sample answer
		}
		seen[step[1]+step[2]] = true
		t.Run(step[1]+" "+step[2], func(t *testing.T) {
			t.Parallel()
			r.skipIfAbsent(t)
			folder := t.TempDir()
			out := r.run(t, folder, html.UnescapeString(step[3]), b.token)
			switch step[1] {
			case "forks":
				require.Contains(t, out, `"items":[{"id":`)
			case "stats":
				require.Contains(t, out, `"suppressed":false`)
			case "csv":
				file, err := os.ReadFile(filepath.Join(folder, "plays.csv"))
				require.NoError(t, err)
				require.Greater(t, len(readCSV(t, string(file))), 1)
			}
		})
	}
	require.Len(t, seen, 3*len(startLanguages)-2)
}
