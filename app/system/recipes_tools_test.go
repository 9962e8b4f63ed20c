package system

import (
	"dg/app/apptest"
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

// infinityQuery is a request of Grafana's Infinity plugin.
type infinityQuery struct {
	URL     string
	Options struct{ Params []struct{ Key, Value string } } `json:"url_options"`
	Root    string                                         `json:"root_selector"`
	Columns []struct{ Selector, Text, Type string }
}

// rows sends the request, with the variables of the dashboard, and requires that each column is in
// the answer, with its type.
func (q infinityQuery) rows(t *testing.T, b *cookbook, variables *strings.Replacer) []map[string]any {
	t.Helper()
	query := url.Values{}
	for _, p := range q.Options.Params {
		query.Set(p.Key, variables.Replace(p.Value))
	}
	at := strings.TrimPrefix(variables.Replace(q.URL), b.URL) + "?" + query.Encode()
	var answer map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(b.Fetch(at, b.token)), &answer))
	var rows []map[string]any
	require.NoError(t, json.Unmarshal(answer[q.Root], &rows))
	for _, c := range q.Columns {
		want := map[string]any{"number": 0.0, "timestamp": "", "string": ""}[c.Type]
		require.IsType(t, want, rows[0][c.Selector], c.Selector)
	}
	// For a hidden group the API returns no days. Grafana then shows its text for "no value".
	var hidden struct{ Daily []any }
	require.NoError(t, json.Unmarshal([]byte(b.Fetch(at+"&groupId="+b.group, b.token)), &hidden))
	require.Empty(t, hidden.Daily)
	return rows
}

// The dashboard lists the forks as a variable, and repeats its panel for each.
func checkGrafana(t *testing.T, b *cookbook) {
	var dashboard struct {
		Templating struct {
			List []struct {
				Name  string
				Query struct{ InfinityQuery infinityQuery }
			}
		}
		Panels []struct {
			Repeat      string
			FieldConfig struct{ Defaults struct{ NoValue string } }
			Targets     []infinityQuery
		}
	}
	require.NoError(t, json.Unmarshal([]byte(b.recipe("grafana")), &dashboard))
	variable := dashboard.Templating.List[0]
	panel := dashboard.Panels[0]
	require.Equal(t, variable.Name, panel.Repeat)
	require.Contains(t, panel.FieldConfig.Defaults.NoValue, "This is not zero.")
	forks := variable.Query.InfinityQuery
	require.Equal(t, []string{"__text", "__value"}, []string{forks.Columns[0].Text, forks.Columns[1].Text})
	for _, fork := range forks.rows(t, b, strings.NewReplacer()) {
		days := panel.Targets[0].rows(t, b, strings.NewReplacer("${fork}", fork["id"].(string),
			"${__from:date:YYYY-MM-DD}", b.today.AddDate(0, 0, -90).Format(time.DateOnly),
			"${__to:date:YYYY-MM-DD}", b.today.Format(time.DateOnly)))
		require.Len(t, days, 91)
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
			out := r.run(t, folder, html.UnescapeString(step[3]), key)
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
