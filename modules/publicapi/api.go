package publicapi

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/reports"
	"dg/modules/reports/sealer"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/limit"
	"dg/platform/postgres"
	"dg/platform/telemetry"
)

type endpoint struct {
	template   string // the route's path below apiPrefix
	permission authz.Permission
	scope      apikeys.Scope
	handle     func(*API, *call) error
}

var endpoints = []endpoint{
	{"forks", games.ListForks, apikeys.ForksRead, (*API).listForks},
	{"forks/:forkId", games.ReadFork, apikeys.ForksRead, (*API).getFork},
	{"forks/:forkId/stats", reports.ReadReport, apikeys.ReportsRead, (*API).getForkStats},
	{"forks/:forkId/exports/csv", reports.ExportReport, apikeys.ReportsRead,
		(*API).exportForkPlays},
}

// Dependencies are the services that the API calls.
type Dependencies struct {
	Keys     Keys
	Games    Forks
	Reports  *reports.Service
	Exports  Exports
	Policy   *authz.Policy
	Requests *limit.Requests // bounds the concurrent requests of API and screens
	Logger   *slog.Logger    // logs what fails on another program's app
}

// API serves /api/v1 and its OpenAPI document.
type API struct {
	Dependencies

	document       httpserver.File // the OpenAPI document
	largeResponses *limit.Limiter
	server         *httpserver.Server // handles requests if another program owns the app
}

// New returns the API. Its OpenAPI document has baseURL as the server's address.
func New(dependencies Dependencies, baseURL string) *API {
	quotedURL, _ := json.Marshal(baseURL) // a string always encodes
	document := bytes.Replace(openAPI, []byte(placeholderURL), quotedURL, 1)
	largeResponses := limit.New(limit.Options{
		Max:         maxLargeResponsesMB,
		PerKey:      maxLargeResponsesMBOfOrganisation,
		BusyMessage: "Too many large answers are being read.",
	})
	file := httpserver.NewFile(document, "application/json; charset=utf-8")
	server := httpserver.NewWithoutApp(httpserver.Options{Logger: dependencies.Logger, RedactPath: apikeys.Redact})
	return &API{dependencies, file, largeResponses, server}
}

// Limiters returns the limiters, keyed by their names in metrics.
func (a *API) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"large_answers": a.largeResponses}
}

// Host is the API embedded in another program, with a single pool.
type Host struct {
	*API
	Keys    *apikeys.Service // for the program's own screens
	Metrics *prometheus.Registry

	exports    *exports.Service
	sealer     *sealer.Sealer
	supervisor *telemetry.Supervisor
}

// minHostConns has a connection for each concurrent report and export and for the sealer, and three
// for short statements, such as the rechecks of exports.
const minHostConns = reports.MaxReports + reports.MaxLargeReports + exports.MaxConcurrent + 1 + 3

// NewHost builds the API from a pool of the serving role and the host program's organisations. It
// refuses a pool of fewer than minHostConns connections. options state what the program's views
// guarantee.
func NewHost(
	db *postgres.DB, orgs apikeys.Organisations, baseURL string, options reports.Options, log *slog.Logger,
) (*Host, error) {
	conns := int(db.Pool.Config().MaxConns)
	if conns < minHostConns {
		return nil, fmt.Errorf("the pool has %d connections: set pool_max_conns=%d or more", conns, minHostConns)
	}
	policy, err := authz.New()
	if err != nil {
		return nil, err
	}
	metrics := prometheus.NewRegistry() // the host program exports metrics of runtime and process itself
	auditLog := audit.New(db)
	reportService := reports.New(db, options)
	reportService.OnDamage = func(q reports.Query, err error) {
		log.Error("a segment is damaged: plays are read instead. Delete the fork's rows in fork_months and fork_days",
			"fork", q.ForkID, "error", err)
	}
	h := &Host{
		Keys:       apikeys.New(db, orgs, auditLog, policy, time.Now),
		Metrics:    metrics,
		exports:    exports.New(reportService, auditLog, db, metrics, log),
		sealer:     sealer.New(db, time.Now, log),
		supervisor: telemetry.NewSupervisor(log, metrics),
	}
	h.API = New(Dependencies{Keys: h.Keys, Games: games.New(db), Reports: reportService, Exports: h.exports,
		Policy: policy, Requests: limit.NewRequests(conns), Logger: log}, strings.TrimRight(baseURL, "/"))
	return h, nil
}

// Run seals days and months, and stores the usage of keys, until ctx ends.
func (h *Host) Run(ctx context.Context) {
	var tasks sync.WaitGroup
	tasks.Go(func() { h.supervisor.Run(ctx, "sealer", h.sealer.Run) })
	tasks.Go(func() {
		h.supervisor.Run(ctx, "key usage", func(ctx context.Context) { h.Keys.UsageCounter.Run(ctx, h.Logger) })
	})
	tasks.Wait()
}

// Close aborts running exports, records their ends and stores the usage of keys. Call it after the
// app's Shutdown and before the pool's Close. ctx needs ten seconds or more: the exports may take
// six of them, and do not heed it.
func (h *Host) Close(ctx context.Context) error {
	h.server.Abort()
	h.exports.Drain()
	return h.Keys.UsageCounter.Store(ctx)
}

// openAPI is the OpenAPI document, which `make generate` builds from openapi.yaml, errors.yaml and
// examples.json.
//
//go:embed openapi.json
var openAPI []byte

// placeholderURL is the server's address in openAPI, quoted. New replaces it.
const placeholderURL = `"http://127.0.0.1:8080"`

func (a *API) serveDocument(c *fiber.Ctx) error {
	httpserver.SetRoute(c, documentPath)
	return httpserver.SendFile(c, a.document)
}

// Keys authenticates keys, and records refusals of known keys before the response is sent.
type Keys interface {
	Authenticate(
		ctx context.Context, token apikeys.Token, request func() audit.Request,
	) (apikeys.Caller, error)
	Refuse(
		ctx context.Context, c apikeys.Caller, reason audit.Reason, target audit.Target,
		request audit.Request, refusal error,
	) error
	RefuseOutsideAPI(ctx context.Context, id string, request audit.Request, refusal error) error
}

// Forks finds forks of an organisation, and the owner of any fork.
type Forks interface {
	Forks(ctx context.Context, organisationID string) ([]games.Fork, error)
	Fork(ctx context.Context, organisationID, id string) (games.Fork, error)
	ForkOwner(ctx context.Context, id string) (organisationID string, err error)
}

// Exports opens an export of a fork's plays. Export.Send then writes the response.
type Exports interface {
	Open(c *fiber.Ctx, r exports.Request) (*exports.Export, error)
}
