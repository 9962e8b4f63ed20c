package apptest

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"dg/app/assembly"
	"dg/platform/testkit/fixtures"
)

// Assembled is the assembled program, served in this process on a database of this test.
type Assembled struct {
	*fixtures.Database
	*assembly.Program
	T        *testing.T
	Base     string // where it serves
	Listener net.Listener
	Stop     func() error // stops serving; may be called again
	End      func() error // waits until nothing is served; may be called again
}

// Assemble serves the program with defaults for tests: loopback is a trusted proxy, and running
// requests have a grace of one second.
func Assemble(t *testing.T, db *fixtures.Database, settings assembly.Settings) *Assembled {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	a := &Assembled{Database: db, T: t, Base: "http://" + ln.Addr().String(), Listener: ln}
	settings.ServingURL = cmp.Or(settings.ServingURL, db.URL)
	settings.BaseURL = a.Base
	settings.Log = cmp.Or(settings.Log, slog.New(slog.DiscardHandler))
	settings.Grace = time.Second
	settings.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	a.Program, err = assembly.New(t.Context(), settings)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- a.Serve(ctx, ln, func() {}) }()
	a.End = sync.OnceValue(func() error { return <-served })
	a.Stop = func() error {
		stop()
		return a.End()
	}
	t.Cleanup(func() {
		_ = a.Stop()
		a.Close()
	})
	return a
}

// Browser is a browser whose address a proxy would forward.
func (a *Assembled) Browser(address string) *WebClient {
	b := NewWebClient(a.T, a.Base)
	b.Address = address
	return b
}

// Value is the sum of a metric's series, or of those with one of the labels' values.
func (a *Assembled) Value(metric string, labels ...string) (sum float64) {
	a.T.Helper()
	families, err := a.Ops.Gather()
	require.NoError(a.T, err)
	for _, f := range families {
		if f.GetName() != metric {
			continue
		}
		for _, series := range f.GetMetric() {
			if len(labels) == 0 || slices.ContainsFunc(series.GetLabel(), func(l *dto.LabelPair) bool {
				return slices.Contains(labels, l.GetValue())
			}) {
				sum += series.GetCounter().GetValue() + series.GetGauge().GetValue()
			}
		}
	}
	return sum
}
