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
	keys     *apikeys.Service
	games    *games.Service
	reports  *reports.Service
	orgs     *org.Service
	policy   *authz.Policy
	document document
	forks    *forkCache
	exports  *exports.Service

	recheckKeys *apikeys.Service
}

// Modules are what the API stands on.
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

// New returns the API as it is reached at baseURL, which its document names.
func New(m Modules, baseURL string) (*API, error) {
	doc, err := newDocument(baseURL)
	if err != nil {
		return nil, err
	}
	return &API{keys: m.Keys, games: m.Games, reports: m.Reports, exports: m.Exports, orgs: m.Orgs, policy: m.Policy, document: doc,
		forks: newForkCache(forkCacheBytes), recheckKeys: cmp.Or(m.RecheckKeys, m.Keys)}, nil
}

// answerTimeout bounds an answer that is not an export. It is above the bound of a statement, which says more of what
// went wrong.
const answerTimeout = 35 * time.Second

func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, answerTimeout)
}
