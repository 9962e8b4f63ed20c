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
	"dg/platform/testkit"
)

// LocalServer is the assembled program, served in this process on the test's database.
type LocalServer struct {
	*testkit.World
	*assembly.Program
	T       *testing.T
	BaseURL string       // http://127.0.0.1:PORT
	Stop    func() error // stops serving; later calls return the same error
}

// ServeInProcess serves the program. Loopback addresses are trusted proxies, and the grace is one second.
func ServeInProcess(t *testing.T, db *testkit.World, settings assembly.Settings) *LocalServer {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &LocalServer{World: db, T: t, BaseURL: "http://" + ln.Addr().String()}
	settings.ServingURL = cmp.Or(settings.ServingURL, db.URL)
	settings.BaseURL = s.BaseURL
	settings.Logger = cmp.Or(settings.Logger, slog.New(slog.DiscardHandler))
	settings.MaxRequestConns = 12
	settings.Grace = time.Second
	settings.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	s.Program, err = assembly.New(t.Context(), settings)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln, func() {}) }()
	s.Stop = sync.OnceValue(func() error {
		cancel()
		return <-served
	})
	t.Cleanup(func() {
		_ = s.Stop()
		s.Close()
	})
	return s
}

// Browser returns a browser with the client address that a proxy would forward.
func (s *LocalServer) Browser(address string) *testkit.Browser {
	b := testkit.NewBrowser(s.T, s.BaseURL)
	b.Address = address
	return b
}

// MetricValue returns the sum of a metric's series. With label values, only series with one of them count.
func (s *LocalServer) MetricValue(metric string, labelValues ...string) (sum float64) {
	families, err := s.Metrics.Gather()
	require.NoError(s.T, err)
	for _, f := range families {
		if f.GetName() != metric {
			continue
		}
		for _, series := range f.GetMetric() {
			if len(labelValues) == 0 || slices.ContainsFunc(series.GetLabel(), func(l *dto.LabelPair) bool {
				return slices.Contains(labelValues, l.GetValue())
			}) {
				sum += series.GetCounter().GetValue() + series.GetGauge().GetValue()
			}
		}
	}
	return sum
}
