package assembly

import (
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"dg/modules/reports/sealer"
	"dg/platform/postgres"
)

// A pass that failed has not seen the whole backlog, and leaves the one that is shown.
func TestFailedPassKeepsTheBacklog(t *testing.T) {
	t.Parallel()
	m := newMetrics(prometheus.NewRegistry())
	failed := errors.New("connection lost")
	for _, pass := range []struct {
		sealed sealer.Result
		err    error
		want   float64
	}{
		{sealer.Result{Remaining: 5}, nil, 5},
		{sealer.Result{}, failed, 5},
		{sealer.Result{Remaining: 7}, failed, 5},
		{sealer.Result{Remaining: 1}, nil, 1},
		{sealer.Result{}, postgres.ErrLocked, 0}, // the process that seals shows it
	} {
		m.sealerPass(pass.sealed, pass.err)
		require.InDelta(t, pass.want, testutil.ToFloat64(m.backlog), 0)
	}
}
