package assembly

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/mail"
	"net/netip"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/modules/publicapi"
	"dg/modules/reports"
	"dg/modules/reports/sealer"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/limit"
	"dg/platform/telemetry"
	"dg/web"
	"dg/web/ui"
)

// Settings configure a Program. ServingURL, MaxRequestConns, BaseURL and Logger are required.
type Settings struct {
	ServingURL        string
	Replicas          []string // URLs of hot standbys, with the serving role
	MaxRequestConns   int32    // connections for requests
	BaseURL           string
	Operator          mail.Address // error pages show it unless it is zero
	Proxies           []netip.Prefix
	Logger            *slog.Logger
	Keyring           identity.Keyring // encrypts the secrets of two-step verification
	Now               func() time.Time // time.Now if nil
	Grace             time.Duration    // see httpserver.Options
	ShutdownDelay     time.Duration    // see httpserver.Options
	Version           string           // for the metrics
	Tracer            trace.Tracer     // nothing is traced if nil
	UnreadableSecrets int              // number of secrets that no key decrypts, for the metrics
}

// Program is dg serve: pools, modules, HTTP server, metrics and background work.
type Program struct {
	Pools   Pools
	Keys    *apikeys.Service
	Server  *httpserver.Server
	Metrics *prometheus.Registry
	log     *slog.Logger
	ready   readiness

	exports    *exports.Service
	background map[string]func(context.Context) // tasks by their name in the log and the metrics
}

// New opens the pools and builds a Program on them. The caller must call Close.
func New(ctx context.Context, settings Settings) (*Program, error) {
	pools, err := openPools(ctx, settings)
	if err != nil {
		pools.Close()
		return nil, err
	}
	if settings.Now == nil {
		settings.Now = time.Now
	}
	p := &Program{Pools: pools, log: settings.Logger, Metrics: telemetry.NewRegistry()}
	counters := newMetrics(p.Metrics)
	services, err := newServices(pools, settings, p.Metrics, counters)
	if err != nil {
		pools.Close()
		return nil, err
	}
	p.Keys = services.Keys
	p.exports = services.Exports
	sealer := sealer.New(pools.Snapshots, settings.Now, settings.Logger)
	sealer.OnPass = counters.countSealerPass
	p.background = map[string]func(context.Context){
		"sealer":    sealer.Run,
		"key usage": func(ctx context.Context) { services.Keys.UsageCounter.Run(ctx, settings.Logger) },
		"replicas":  pools.Snapshots.WatchReplicas,
	}
	requests := limit.NewRequests(int(pools.Requests.Pool.Config().MaxConns))
	api := publicapi.New(publicapi.Dependencies{
		Keys:     services.Keys,
		Games:    services.Games,
		Reports:  services.Reports,
		Exports:  services.Exports,
		Policy:   services.Policy,
		Requests: requests,
	}, settings.BaseURL)
	screens := web.New(web.Dependencies{Services: services, Requests: requests, Operator: settings.Operator},
		settings.BaseURL, settings.Now)
	p.Server = httpserver.New(httpserver.Options{
		Logger:         settings.Logger,
		RedactPath:     apikeys.Redact,
		Metrics:        p.Metrics,
		Tracer:         settings.Tracer,
		TrustedProxies: settings.Proxies,
		ErrorPage:      screens.ErrorPage,
		Grace:          settings.Grace,
		ShutdownDelay:  settings.ShutdownDelay,
		ReservedFiles:  pools.reservedFiles(),
	})
	registerCollectors(p.Metrics, settings, pools, &p.ready, services.Keys, services.Reports.Limiters(),
		services.Exports.Limiters(), services.Identity.Limiters(), screens.Limiters(), api.Limiters(),
		requests.Limiters())
	api.Mount(p.Server.App())
	p.mountHealth(p.Server.App())
	screens.Mount(p.Server.App())
	return p, nil
}

func newServices(
	pools Pools, settings Settings, registry prometheus.Registerer, counters *metrics,
) (services ui.Services, err error) {
	if services.Policy, err = authz.New(); err != nil {
		return services, err
	}
	services.Log = audit.New(pools.Requests)
	services.Log.OnWriteFailure = counters.auditFailures.Inc
	services.Orgs = org.New(pools.Requests, services.Log, services.Policy)
	services.Games = games.New(pools.Requests)
	services.Reports = reports.New(pools.Snapshots, reports.Options{FixedPseudonyms: true, PlayerVersions: true})
	services.Reports.OnDamage = func(q reports.Query, err error) {
		settings.Logger.Error("a segment is damaged: the plays are read instead. Run dg segments rebuild",
			"fork", q.ForkID, "error", err)
		counters.damagedSegments.Inc()
	}
	services.Identity = identity.New(pools.Requests, settings.Now, identity.Recorder{
		OrganisationIDsOf: services.Orgs.OrganisationIDsIn,
		Audit:             services.Log,
		Log:               settings.Logger,
		OnFailedSignIn:    func(reason string) { counters.signInFailures.WithLabelValues(reason).Inc() },
	}, settings.Keyring)
	services.Exports = exports.New(services.Reports, services.Log, pools.Recheck, registry, settings.Logger)
	services.Keys = apikeys.New(pools.Requests, services.Orgs, services.Log, services.Policy, settings.Now)
	services.Keys.OnRefusal = func(r audit.Reason) { counters.keyRefusals.WithLabelValues(string(r)).Inc() }
	return services, nil
}

// storeUsageTimeout bounds how long Close takes to store the usage of API keys.
const storeUsageTimeout = 2 * time.Second

// Serve calls ready, and serves on ln until ctx ends. Its error includes that of the shutdown.
func (p *Program) Serve(ctx context.Context, ln net.Listener, ready func()) error {
	serveErr := make(chan error, 1)
	go func() {
		serveErr <- p.Server.Serve(ln)
		close(serveErr)
	}()
	ready()
	var err error
	select {
	case err = <-serveErr:
	case <-ctx.Done():
		p.log.Info("stopping: running requests may finish")
	}
	err = errors.Join(err, p.Server.Shutdown(context.Background()), <-serveErr)
	p.exports.Drain()
	return err
}

// RunBackground runs the background work until ctx ends, and restarts it after a panic.
func (p *Program) RunBackground(ctx context.Context) {
	supervisor := telemetry.NewSupervisor(p.log, p.Metrics)
	var tasks sync.WaitGroup
	for name, work := range p.background {
		tasks.Go(func() { supervisor.Run(ctx, name, work) })
	}
	tasks.Wait()
}

// Close stores the usage of API keys and closes the pools. Call it after Serve and RunBackground.
func (p *Program) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), storeUsageTimeout)
	defer cancel()
	if err := p.Keys.UsageCounter.Store(ctx); err != nil {
		p.log.Warn("the usage of API keys in the last minute was not stored", "error", err)
	}
	p.Pools.Close()
}
