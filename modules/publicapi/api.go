package publicapi

import (
	"cmp"

	"dg/modules/apikeys"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/reports"
	"dg/platform/authz"
	"dg/platform/fairshare"
)

// API serves /api/v1 and its descriptions.
type API struct {
	Modules

	document   []byte // OpenAPI
	collection []byte // Postman
	cache      *forkCache
	hints      *fairshare.TenantHints
}

// Modules are what the API calls.
type Modules struct {
	Keys    *apikeys.Authenticator
	Games   *games.Service
	Reports *reports.Service
	Exports *exports.Service
	Policy  *authz.Policy
	// Lists admits fork lists. It is the limit of small reports, so that one bound holds for both.
	Lists *fairshare.Limiter
	// RecheckKeys re-checks the keys of running exports, on a connection that no flood of requests
	// takes; nil: Keys.
	RecheckKeys *apikeys.Authenticator
}

// New returns the API. Its descriptions name baseURL as the server's address.
func New(m Modules, baseURL string) (*API, error) {
	document, err := addressed(openAPI, baseURL)
	if err != nil {
		return nil, err
	}
	collection, err := addressed(postman, baseURL)
	if err != nil {
		return nil, err
	}
	m.RecheckKeys = cmp.Or(m.RecheckKeys, m.Keys)
	return &API{m, document, collection, newForkCache(), fairshare.NewTenantHints()}, nil
}
