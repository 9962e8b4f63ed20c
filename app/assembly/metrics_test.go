package assembly_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/pgtest"
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
	db := pgtest.New(t)
	settings := settingsOn(db)
	// one that is down does not stop the start
	settings.Replicas = []string{"postgres://dg_app@127.0.0.1:1/dg"}
	w := startOn(t, db, settings)
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan struct{})
	go func() {
		defer close(ran)
		w.p.Background(ctx)
	}()
	defer func() {
		stop()
		<-ran
	}()
	w.browser().send(http.MethodGet, "/sign-in", nil)

	text, err := os.ReadFile(signals)
	require.NoError(t, err)
	listed := map[string]string{}
	served := map[string]string{}
	for _, row := range listedMetric.FindAllStringSubmatch(string(text), -1) {
		labels := strings.Split(row[3], ", ")
		slices.Sort(labels)
		listed[row[1]] = row[2] + " " + strings.Join(labels, ", ")
	}
	require.Eventually(t, func() bool { // the background work registers its own
		families, err := w.p.Ops.Gather()
		require.NoError(t, err)
		clear(served)
		for _, f := range families {
			if strings.HasPrefix(f.GetName(), "dg_") {
				served[f.GetName()] = family(f)
			}
		}
		return served["dg_background_panics_total"] != ""
	}, 10*time.Second, time.Millisecond)
	require.Equal(t, listed, served)

	problems, err := testutil.GatherAndLint(w.p.Ops)
	require.NoError(t, err)
	require.Empty(t, problems)
}

// value is the sum of a metric over its labels, or of the series with a label's value.
func (w *world) value(name string, label ...string) (sum float64) {
	w.t.Helper()
	families, err := w.p.Ops.Gather()
	require.NoError(w.t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name &&
				(len(label) == 0 ||
					slices.ContainsFunc(m.GetLabel(), func(l *dto.LabelPair) bool {
						return l.GetValue() == label[0]
					})) {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return sum
}

// Each event is counted under its reason or outcome, once.
func TestMetricsCountWhatHappens(t *testing.T) {
	n := newNeighbours(t, nil)
	w := n.world
	export := "/exports/csv?from=2026-03-01&to=2026-03-31"
	require.InDelta(t, 1, w.value("dg_ready"), 0)
	require.InDelta(t, 0, w.value("dg_database_clock_offset_seconds"), 5)

	w.store.Players(n.acme.ID, 2)
	w.store.Plays(n.fork, 3, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Minute)
	status, _ := n.call("/" + n.fork.ID + export)
	require.Equal(t, http.StatusOK, status)
	wrong := n
	unknown := n
	wrong.key.Secret = strings.Repeat("x", len(n.key.Secret))
	unknown.key.ID = strings.Repeat("x", len(n.key.ID))
	_, _ = n.call("/" + n.foreign.ID + export)
	_, _ = wrong.call("")
	_, _ = unknown.call("")
	w.browser().signIn("nobody@acme.example", wrongPassword)
	w.browser().signIn("ada@acme.example", wrongPassword)
	for _, series := range [][2]string{
		{"dg_exports_finished_total", "completed"},
		{"dg_key_refusals_total", "other_organisation"}, {"dg_key_refusals_total", "wrong_secret"},
		{"dg_key_refusals_total", "unknown_key"},
		{"dg_sign_in_failures_total", "unknown_email"},
		{"dg_sign_in_failures_total", "wrong_password"},
	} {
		// An export ends a moment after its last byte was sent.
		require.Eventually(t, func() bool {
			return w.value(series[0], series[1]) == 1 && w.value("dg_work_running") == 0
		}, 10*time.Second, time.Millisecond, "%v", series)
	}
	require.InDelta(t, 3, w.value("dg_export_rows_total"), 0)
	require.InDelta(t, 3, w.value("dg_key_refusals_total"), 0)
	require.InDelta(t, 2, w.value("dg_sign_in_failures_total"), 0)

	require.InDelta(t, 0, w.value("dg_audit_failures_total"), 0)
	w.exec(`alter table audit_entries add constraint full_disk check (false) not valid`)
	_, _ = wrong.call("")
	require.InDelta(t, 1, w.value("dg_audit_failures_total"), 0)
	require.InDelta(t, 3, w.value("dg_key_refusals_total"), 0, "not recorded, not counted")
	families, err := w.p.Ops.Gather()
	require.NoError(t, err)
	for _, id := range []string{
		n.acme.ID, n.fork.ID, n.foreign.ID, n.key.ID, unknown.key.ID, "nobody@",
	} {
		require.NotContains(t, fmt.Sprint(families), id, "labels are bounded")
	}
	w.p.Close()
	require.InDelta(t, 0, w.value("dg_ready"), 0)
}
