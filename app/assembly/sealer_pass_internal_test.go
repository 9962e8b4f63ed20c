package assembly

import (
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"dg/modules/reports"
)

// A pass that failed has not seen the whole backlog, and never shows a smaller one.
func TestFailedPassDoesNotLowerTheBacklog(t *testing.T) {
	t.Parallel()
	m := newMetrics(prometheus.NewRegistry())
	failed := errors.New("connection lost")
	for _, pass := range []struct {
		sealed reports.Sealed
		err    error
		want   float64
	}{
		{reports.Sealed{Left: 5}, nil, 5},
		{reports.Sealed{}, failed, 5},
		{reports.Sealed{Left: 7}, failed, 7},
		{reports.Sealed{Left: 1}, nil, 1},
		{reports.Sealed{}, reports.ErrSealerLocked, 0}, // the process that seals shows it
	} {
		m.sealerPass(pass.sealed, pass.err)
		require.InDelta(t, pass.want, testutil.ToFloat64(m.backlog), 0)
	}
}
