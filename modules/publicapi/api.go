package publicapi

import (
	"cmp"

	"dg/platform/fairshare"
)

// Modules are the services that the API calls.
type Modules struct {
	Keys    Keys
	Games   Forks
	Reports Reports
	Exports Exports
	Policy  Policy
	// Lists admits fork lists. It is the limiter of small reports, so that one bound holds for both.
	Lists *fairshare.Limiter
	// RecheckKeys re-checks the keys of running exports on a reserved connection. nil: Keys.
	RecheckKeys KeyStatus
}

// API serves /api/v1 and its description.
type API struct {
	Modules

	document []byte // OpenAPI
	cache    *forkCache
	hints    *fairshare.TenantHints
}

// New returns the API. Its description names baseURL as the server's address.
func New(m Modules, baseURL string) (*API, error) {
	document, err := withServerURL(openAPI, baseURL)
	if err != nil {
		return nil, err
	}
	m.RecheckKeys = cmp.Or[KeyStatus](m.RecheckKeys, m.Keys)
	return &API{m, document, newForkCache(), fairshare.NewTenantHints()}, nil
}
