package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/net/netutil"
)

// OpsHandler returns a handler of /metrics and /debug/pprof/. It requires a Host header with the
// host of addr, localhost or an IP address.
func OpsHandler(g prometheus.Gatherer, addr string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(g, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	// pprof.Cmdline is left out, because a flag may contain the database's password.
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return allowHost(hostOf(addr), mux)
}

// allowHost prevents DNS rebinding, by which a page in an operator's browser could read profiles.
func allowHost(ownHost string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostOf(r.Host)
		_, err := netip.ParseAddr(host)
		if err != nil && host != "localhost" && !strings.EqualFold(host, ownHost) {
			http.Error(w, "Unknown host. Use an address, localhost or the host of DG_OPS_ADDR.",
				http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func hostOf(addr string) string {
	if host, _, err := net.SplitHostPort(addr); err == nil {
		return host
	}
	return strings.Trim(addr, "[]")
}

// MaxOpsConnections bounds the ops server: each connection takes a file descriptor.
const MaxOpsConnections = 16

// ServeOps serves h on ln until ctx ends, and closes ln. It does not wait for a running profile.
func ServeOps(ctx context.Context, ln net.Listener, h http.Handler) error {
	srv := &http.Server{
		Handler: h,
		// pprof extends the write deadline by the duration of a profile
		ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: 5 * time.Second,
	}
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stop()
	err := srv.Serve(netutil.LimitListener(ln, MaxOpsConnections))
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("ops server: %w", err)
	}
	return nil
}
