package publicapi

import (
	"cmp"
	"context"
	"time"

	"dg/modules/apikeys"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/authz"
)

// API serves /api/v1 and its document.
type API struct {
	keys        *apikeys.Service
	recheckKeys *apikeys.Service
	games       *games.Service
	reports     *reports.Service
	exports     *exports.Service
	orgs        *org.Service
	policy      *authz.Policy
	document    []byte
	cache       *forkCache
}

// Modules are what the API calls.
type Modules struct {
	Keys    *apikeys.Service
	Games   *games.Service
	Reports *reports.Service
	Exports *exports.Service
	Orgs    *org.Service
	Policy  *authz.Policy
	// RecheckKeys re-checks the keys of running exports, on a connection that no flood of requests takes; nil: Keys.
	RecheckKeys *apikeys.Service
}

// New returns the API. Its document names baseURL as the server's address.
func New(m Modules, baseURL string) (*API, error) {
	document, err := newDocument(baseURL)
	if err != nil {
		return nil, err
	}
	return &API{
		keys: m.Keys, recheckKeys: cmp.Or(m.RecheckKeys, m.Keys), games: m.Games, reports: m.Reports, exports: m.Exports, orgs: m.Orgs,
		policy: m.Policy, document: document, cache: newForkCache(),
	}, nil
}

// answerTimeout bounds an answer that is not an export. It is longer than the statement timeout, whose error says more.
const answerTimeout = 35 * time.Second

func withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, answerTimeout)
}
