package publicapi

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/reports"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/limit"
)

// Dependencies are the services that the API calls.
type Dependencies struct {
	Keys    Keys
	Games   Forks
	Reports *reports.Service
	Exports Exports
	Policy  *authz.Policy
	// Requests bounds the concurrent requests of each organisation; screens share its slots.
	Requests *limit.Requests
}

// API serves /api/v1 and its OpenAPI document.
type API struct {
	Dependencies

	document       httpserver.File // the OpenAPI document
	largeResponses *limit.Limiter
}

// New returns the API. The OpenAPI document that it serves names baseURL as the server's address.
func New(m Dependencies, baseURL string) (*API, error) {
	url, err := json.Marshal(baseURL)
	if err != nil {
		return nil, err
	}
	document := bytes.Replace(openAPI, []byte(placeholderURL), url, 1)
	largeResponses := limit.New(limit.Options{
		Max:         maxLargeResponsesMB,
		PerKey:      maxLargeResponsesMBOfOrganisation,
		BusyMessage: "Too many large answers are being read.",
	})
	file := httpserver.NewFile(document, "application/json; charset=utf-8")
	return &API{m, file, largeResponses}, nil
}

// Limiters returns the limiters, keyed by their names in metrics.
func (a *API) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"large_answers": a.largeResponses}
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

// These interfaces have the methods that the API calls. The packages that implement the methods
// document them and their errors.

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

// Exports opens exports, which also send the response.
type Exports interface {
	Open(c *fiber.Ctx, r exports.Request) (*exports.Export, error)
}
