package publicapi

import (
	"cmp"

	"dg/platform/fairshare"
)

// API serves /api/v1 and its descriptions.
type API struct {
	keys        Keys
	recheckKeys KeyStatus
	games       Forks
	reports     Reports
	exports     Exports
	policy      Policy
	lists       *fairshare.Limiter
	document    []byte // OpenAPI
	collection  []byte // Postman
	cache       *forkCache
	hints       *fairshare.TenantHints
}

// Modules are what the API calls.
type Modules struct {
	Keys    Keys
	Games   Forks
	Reports Reports
	Exports Exports
	Policy  Policy
	// Lists admits fork lists. It is the limit of small reports, so that one bound holds for both.
	Lists *fairshare.Limiter
	// RecheckKeys re-checks the keys of running exports, on a connection that no flood of requests
	// takes; nil: Keys.
	RecheckKeys KeyStatus
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
	return &API{
		keys:        m.Keys,
		recheckKeys: cmp.Or[KeyStatus](m.RecheckKeys, m.Keys),
		games:       m.Games,
		reports:     m.Reports,
		exports:     m.Exports,
		policy:      m.Policy,
		lists:       m.Lists,
		document:    document,
		collection:  collection,
		cache:       newForkCache(),
		hints:       fairshare.NewTenantHints(),
	}, nil
}
