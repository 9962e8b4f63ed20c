package system

import (
	"dg/app/apptest"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func npm(pkg string) string {
	return "npm install --silent --no-audit --no-fund " + pkg + " >&2 && "
}

// The recipe of Power BI and Excel reads no header: outside a custom connector a query sees only
// some. It asks the statistics whether a group is hidden before it reads the plays (rules.md,
// Anonymity).
func checkPowerQuery(t *testing.T, b *cookbook) {
	text := b.recipe("power-bi")
	require.NotContains(t, text, "Value.Metadata")
	require.NotContains(t, text, "ManualStatusHandling")
	require.Contains(t, text,
		`Shown = if Group = "" then Periods else List.Select(Statistics, each not [stats][suppressed])`)
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
	organisation := apptest.Read[string](t, b.db, `select org_id::text from forks where id = $1`, b.fork)
	key := makeKey(t, b.dir, organisation, "Quickstart").String()
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
			out := r.run(t, folder, plain(step[3]), key)
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
