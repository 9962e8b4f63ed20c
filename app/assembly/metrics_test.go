package assembly_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/platform/testkit"
)

// Each metric has a meaning (HELP), a name and a type by Prometheus' conventions. Alerts and the
// queries for operators name existing ones.
func TestMetricsFollowTheConventions(t *testing.T) {
	t.Parallel()
	// a replica that is down does not stop the start
	w := apptest.ServeInProcess(t, testkit.New(t),
		assembly.Settings{Replicas: []string{"postgres://dg_app@127.0.0.1:1/dg"}})
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

	apptest.Until(t, 20*time.Second, "the background work does not register its own", func() bool {
		served, err := testutil.GatherAndCount(w.Ops, "dg_background_panics_total")
		return err == nil && served > 0
	})
	problems, err := testutil.GatherAndLint(w.Ops)
	require.NoError(t, err)
	for _, problem := range problems {
		require.Contains(t, problem.Metric, "pgxpool_", problem.Text)
	}
	for _, page := range []string{"alerts.yml", "metrics.md"} {
		text, err := os.ReadFile("../../configs/deploy/" + page)
		require.NoError(t, err)
		for _, name := range namedMetric.FindAllString(string(text), -1) {
			name = strings.TrimSuffix(strings.TrimSuffix(name, "_count"), "_bucket")
			served, err := testutil.GatherAndCount(w.Ops, name)
			require.NoError(t, err)
			require.Positive(t, served, "%s of %s", name, page)
		}
	}
}

var namedMetric = regexp.MustCompile(`\bdg_[a-z_]+[a-z]\b`)

// Each event is counted under its reason or outcome, once. Labels are bounded: they hold no id.
func TestMetricsCountWhatHappens(t *testing.T) {
	w := start(t)
	x := w.tenant(3)
	foreign := w.tenant(0)
	require.InDelta(t, 1, w.Value("dg_ready"), 0)
	require.InDelta(t, 0, w.Value("dg_keys_expiring_in_use"), 0)
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
		// an export ends behind its last byte
		apptest.Until(t, 20*time.Second, fmt.Sprint(series), func() bool {
			return w.Value(series[0], series[1]) == 1 && w.Value("dg_work_running") == 0
		})
	}
	for name, want := range map[string]float64{
		"dg_key_refusals_total": 3, "dg_sign_in_failures_total": 2, "dg_audit_failures_total": 0,
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
	w.Close() // the pools: as without a database, the program is not ready
	apptest.Until(t, 5*time.Second, "the program to be unready", func() bool {
		return w.Value("dg_ready") == 0 // at most readyAge old
	})
}
