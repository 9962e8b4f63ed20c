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
	Keys    Keys
	Games   Forks
	Reports *reports.Service
	Exports Exports
	Policy  *authz.Policy
	// Requests bounds the concurrent requests of each organisation; screens share its slots.
	Requests *limit.Requests
	Logger   *slog.Logger // for requests on another program's app
}

// API serves /api/v1 and its OpenAPI document.
type API struct {
	Dependencies

	document       httpserver.File // the OpenAPI document
	largeResponses *limit.Limiter
	server         *httpserver.Server // serves on another program's app
}

// New returns the API. The OpenAPI document that it serves names baseURL as the server's address.
func New(dependencies Dependencies, baseURL string) *API {
	quotedURL, _ := json.Marshal(baseURL) // a string causes no error
	document := bytes.Replace(openAPI, []byte(placeholderURL), quotedURL, 1)
	largeResponses := limit.New(limit.Options{
		Max:         maxLargeResponsesMB,
		PerKey:      maxLargeResponsesMBOfOrganisation,
		BusyMessage: "Too many large answers are being read.",
	})
	file := httpserver.NewFile(document, "application/json; charset=utf-8")
	return &API{dependencies, file, largeResponses, httpserver.NewWithoutApp(dependencies.Logger)}
}

// Limiters returns the limiters, keyed by their names in metrics.
func (a *API) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"large_answers": a.largeResponses}
}

// Host is the API embedded in another program, with a single pool.
type Host struct {
	*API
	Keys    *apikeys.Service // used by the program's screens that manage keys
	Metrics *prometheus.Registry

	exports    *exports.Service
	sealer     *sealer.Sealer
	supervisor *telemetry.Supervisor
}

// minHostConns lets all reports, exports and the sealer run at once, and leaves three connections for short
// statements. Exports that held every connection could not recheck access.
const minHostConns = reports.MaxReports + reports.MaxLargeReports + exports.MaxConcurrent + 1 + 3

// NewHost builds the API from a pool of the serving role and the program's organisations. It refuses
// a pool of fewer than minHostConns connections. options declare what the program's views guarantee.
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
	metrics := prometheus.NewRegistry() // the program has the metrics of the runtime and process itself
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

// Close ends running exports, and records their ends and the usage of keys. Only the last heeds ctx: give it
// ten seconds or more, because the exports may take six. Call it between the app's Shutdown and the pool's Close.
func (h *Host) Close(ctx context.Context) error {
	h.server.Abort()
	h.exports.Drain()
	return h.Keys.UsageCounter.Store(ctx)
}

// openAPI is the OpenAPI document; `make generate` generates it from openapi.yaml, errors.yaml and
// examples.json.
//
//go:embed openapi.json
var openAPI []byte

// placeholderURL stands in openAPI for the service's address, as quoted JSON.
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

// Exports opens an export of a fork's plays. The caller then calls Send, which writes the response, and Close.
type Exports interface {
	Open(c *fiber.Ctx, r exports.Request) (*exports.Export, error)
}
