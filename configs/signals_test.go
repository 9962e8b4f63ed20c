package configs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rule is an alert rule of Prometheus.
type rule struct {
	Alert               string            `yaml:"alert"`
	Expr                string            `yaml:"expr"`
	Labels, Annotations map[string]string `yaml:",omitempty"`
}

// ruleFile is a file of them.
type ruleFile struct {
	Groups []struct {
		Name  string `yaml:"name"`
		Rules []rule `yaml:"rules"`
	} `yaml:"groups"`
}

func alerts(t *testing.T) []rule {
	t.Helper()
	var file ruleFile
	require.NoError(t, yaml.Unmarshal(content(t, "alerts.yml"), &file))
	require.Len(t, file.Groups, 1)
	return file.Groups[0].Rules
}

func content(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("deploy", name))
	require.NoError(t, err)
	return text
}

// promtool runs Prometheus' own tool, whose parser no package of this module has.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("SKIPPED: there is no promtool (Debian's package is prometheus)")
	}
	out, err := exec.CommandContext(t.Context(), "promtool", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestAlertRulesFireWhenTheyShould(t *testing.T) {
	t.Parallel()
	promtool(t, "check", "rules", "deploy/alerts.yml")
	promtool(t, "test", "rules", "deploy/alerts_test.yml")
}

// Each alert names severity, summary and action, and alerts_test.yml makes it fire.
func TestAlertsSayWhatToDo(t *testing.T) {
	t.Parallel()
	tests := content(t, "alerts_test.yml")
	for _, r := range alerts(t) {
		assert.Contains(t, []string{"page", "ticket"}, r.Labels["severity"], r.Alert)
		for _, sentence := range []string{"summary", "action"} {
			assert.Regexp(t, `^[A-Za-z{].*\.$`, r.Annotations[sentence], "%s: %s", r.Alert,
				sentence)
		}
		assert.Contains(t, string(tests), `alertname="`+r.Alert+`"`, "alerts_test.yml")
	}
}

// dashboard has the fields of Grafana's format that the test reads.
type dashboard struct {
	Title         string
	SchemaVersion int
	Templating    struct {
		List []struct{ Name, Type string }
	}
	Panels []struct {
		ID          int
		Title, Type string
		Datasource  struct{ UID string }
		GridPos     struct{ X, Y, W, H int }
		FieldConfig struct {
			Defaults struct{ Unit string }
		}
		Targets []struct{ RefID, Expr string }
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	require.NoError(t, json.Unmarshal(content(t, "grafana-dashboard.json"), &d))
	require.NotEmpty(t, d.Panels)
	return d
}

// Grafana imports the dashboard with a data source of choice: panels lie side by side, and each has
// a unit and queries.
func TestDashboardIsComplete(t *testing.T) {
	t.Parallel()
	d := readDashboard(t)
	require.NotEmpty(t, d.Title)
	require.Positive(t, d.SchemaVersion)
	require.Equal(t, "datasource", d.Templating.List[0].Type)
	ids := map[int]bool{}
	cells := map[[2]int]string{}
	for _, p := range d.Panels {
		assert.False(t, ids[p.ID], p.Title)
		ids[p.ID] = true
		assert.Contains(t, []string{"stat", "timeseries"}, p.Type, p.Title)
		assert.NotEmpty(t, p.FieldConfig.Defaults.Unit, p.Title)
		assert.Equal(t, "${"+d.Templating.List[0].Name+"}", p.Datasource.UID, p.Title)
		assert.NotEmpty(t, p.Targets, p.Title)
		g := p.GridPos
		assert.LessOrEqual(t, g.X+g.W, 24, p.Title)
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				assert.Empty(t, cells[[2]int{x, y}], "%s overlaps", p.Title)
				cells[[2]int{x, y}] = p.Title
			}
		}
	}
}

// variables are Grafana's in queries, with a value for each.
var variables = strings.NewReplacer("$__rate_interval", "5m", "$job", "dg", "$instance", ".*")

// queries are those of the dashboard and of the alerts, by their panel or alert.
func queries(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, p := range readDashboard(t).Panels {
		for _, target := range p.Targets {
			all[p.Title] = append(all[p.Title], variables.Replace(target.Expr))
		}
	}
	for _, r := range alerts(t) {
		all[r.Alert] = append(all[r.Alert], r.Expr)
	}
	return all
}

func TestQueriesParse(t *testing.T) {
	t.Parallel()
	rules := "groups: [{name: queries, rules: [\n"
	for _, exprs := range queries(t) {
		for _, expr := range exprs {
			quoted, err := json.Marshal(expr)
			require.NoError(t, err)
			require.NotContains(t, expr, "$", "a variable that has no value here")
			rules += fmt.Sprintf("{record: query, labels: {n: %q}, expr: %s},\n",
				strconv.Itoa(len(rules)), quoted)
		}
	}
	rules += "]}]\n"
	file := filepath.Join(t.TempDir(), "queries.yml")
	require.NoError(t, os.WriteFile(file, []byte(rules), 0o600))
	promtool(t, "check", "rules", file)
}

var (
	listedMetric = regexp.MustCompile("(?m)^\\| `(dg_[a-z_]+)` \\| ([a-z]+) \\| (.*?) ?\\|")
	namedMetric  = regexp.MustCompile(`\bdg_[a-z_]+`)
	namedLabel   = regexp.MustCompile(`([a-z]+)\s*(?:=~|!~|!=|=)\s*"`)
	groupLabels  = regexp.MustCompile(`\bby \(([a-z, ]+)\)`)
)

// Rules and panels name metrics of metrics.md, which are those that the program serves, and their
// labels.
func TestQueriesNameServedMetrics(t *testing.T) {
	t.Parallel()
	labels := map[string]string{}
	for _, row := range listedMetric.FindAllStringSubmatch(string(content(t, "metrics.md")), -1) {
		labels[row[1]] = row[3] + "`job` `instance`"
		if row[2] == "histogram" {
			labels[row[1]+"_bucket"] = labels[row[1]] + "`le`"
			labels[row[1]+"_count"] = labels[row[1]]
		}
	}
	for where, exprs := range queries(t) {
		for _, expr := range exprs {
			known := ""
			for _, name := range namedMetric.FindAllString(expr, -1) {
				assert.Contains(t, labels, name, where)
				known += labels[name]
			}
			if known == "" {
				continue // one of Prometheus itself, or of every process
			}
			named := groupLabels.FindAllStringSubmatch(expr, -1)
			named = append(named, namedLabel.FindAllStringSubmatch(expr, -1)...)
			for _, label := range named {
				for one := range strings.SplitSeq(label[1], ", ") {
					assert.Contains(t, known, "`"+one+"`", where)
				}
			}
		}
	}
}
