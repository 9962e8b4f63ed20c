package assembly_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/platform/testkit"
)

// signals is the list of metrics that operators read.
const signals = "../../configs/deploy/metrics.md"

var listedMetric = regexp.MustCompile("(?m)^\\| `(dg_[a-z_]+)` \\| ([a-z]+) \\| (.*?) ?\\|")

// family returns a metric as the list writes it: type and labels.
func family(f *dto.MetricFamily) string {
	var labels []string
	for _, label := range f.GetMetric()[0].GetLabel() {
		labels = append(labels, "`"+label.GetName()+"`")
	}
	slices.Sort(labels)
	return strings.ToLower(f.GetType().String()) + " " + strings.Join(labels, ", ")
}

// The metrics that the program serves are those of the list, and their names follow Prometheus'
// conventions.
func TestMetricsAreThoseOfTheList(t *testing.T) {
	t.Parallel()
	// a replica that is down does not stop the start
	w := apptest.ServeInProcess(t, testkit.New(t),
		assembly.Settings{
			Replicas: []string{"postgres://dg_app@127.0.0.1:1/dg"},
		})
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan struct{})
	go func() {
		defer close(ran)
		w.RunBackground(ctx)
	}()
	defer func() {
		stop()
		<-ran
	}()
	w.Browser("").Get("/sign-in")

	text, err := os.ReadFile(signals)
	require.NoError(t, err)
	listed := map[string]string{}
	served := map[string]string{}
	for _, row := range listedMetric.FindAllStringSubmatch(string(text), -1) {
		labels := strings.Split(row[3], ", ")
		slices.Sort(labels)
		listed[row[1]] = row[2] + " " + strings.Join(labels, ", ")
	}
	eventually(t, "the background work does not register its own", func() bool {
		families, err := w.Ops.Gather()
		require.NoError(t, err)
		clear(served)
		for _, f := range families {
			if strings.HasPrefix(f.GetName(), "dg_") {
				served[f.GetName()] = family(f)
			}
		}
		return served["dg_background_panics_total"] != ""
	})
	require.Equal(t, listed, served)

	problems, err := testutil.GatherAndLint(w.Ops, slices.Collect(maps.Keys(served))...)
	require.NoError(t, err)
	require.Empty(t, problems)
}

// Each event is counted under its reason or outcome, once. Labels are bounded: they hold no id.
func TestMetricsCountWhatHappens(t *testing.T) {
	w := start(t)
	x := w.tenant(3)
	foreign := w.tenant(0)
	require.InDelta(t, 1, w.Value("dg_ready"), 0)
	wrong := x
	wrong.key.Secret = strings.Repeat("x", len(x.key.Secret))
	unknown := x
	unknown.key.ID = strings.Repeat("x", len(x.key.ID))
	require.Equal(t, http.StatusOK, w.call(x, x.export()))
	w.call(x, foreign.export())
	w.call(wrong, "/api/v1/forks")
	w.call(unknown, "/api/v1/forks")
	signInWith(w.Browser(""), "nobody@acme.example", wrongPassword)
	signInWith(w.Browser(""), x.owner.Email, wrongPassword)
	for _, series := range [][2]string{
		{"dg_exports_finished_total", "completed"},
		{"dg_key_refusals_total", "other_organisation"}, {"dg_key_refusals_total", "wrong_secret"},
		{"dg_key_refusals_total", "unknown_key"},
		{"dg_sign_in_failures_total", "unknown_email"},
		{"dg_sign_in_failures_total", "wrong_password"},
	} {
		eventually(t, fmt.Sprint(series), func() bool { // an export ends behind its last byte
			return w.Value(series[0], series[1]) == 1 && w.Value("dg_work_running") == 0
		})
	}
	for name, want := range map[string]float64{
		"dg_export_rows_total": 3, "dg_key_refusals_total": 3, "dg_sign_in_failures_total": 2,
		"dg_audit_failures_total": 0,
	} {
		require.InDelta(t, want, w.Value(name), 0, name)
	}
	w.fillDisk()
	w.call(wrong, "/api/v1/forks")
	require.InDelta(t, 1, w.Value("dg_audit_failures_total"), 0)
	require.InDelta(t, 3, w.Value("dg_key_refusals_total"), 0, "not recorded, not counted")
	families, err := w.Ops.Gather()
	require.NoError(t, err)
	for _, id := range []string{x.ID, x.fork.ID, foreign.fork.ID, x.key.ID, unknown.key.ID, "nobody@"} {
		require.NotContains(t, fmt.Sprint(families), id)
	}
	w.Close()
	require.InDelta(t, 0, w.Value("dg_ready"), 0)
}
