package publicapi

import (
	"cmp"

	"dg/platform/httpserver"
	"dg/platform/limit"
)

// Modules are the services that the API calls.
type Modules struct {
	Keys    Keys
	Games   Forks
	Reports Reports
	Exports Exports
	Policy  Policy
	// Requests bounds the requests of an organisation. The screens share it.
	Requests *limit.Requests
	// RecheckKeys re-checks the keys of running exports on a reserved connection. nil: Keys.
	RecheckKeys KeyStatus
}

// How many megabytes of answers above httpserver.BlockSize are in memory, until their clients have
// them. Statistics of 100,000 players are 12 MB.
const (
	maxLargeAnswers               = 96
	maxLargeAnswersOfOrganisation = maxLargeAnswers / 2
)

// API serves /api/v1 and its description.
type API struct {
	Modules

	document httpserver.File // OpenAPI
	answers  *limit.Limiter
	sizes    *limit.Hints[int] // of the last statistics of a fork or group, see megabytes
}

// New returns the API. Its description names baseURL as the server's address.
func New(m Modules, baseURL string) (*API, error) {
	document, err := withServerURL(openAPI, baseURL)
	if err != nil {
		return nil, err
	}
	m.RecheckKeys = cmp.Or[KeyStatus](m.RecheckKeys, m.Keys)
	answers := limit.New(limit.Options{
		Max:    maxLargeAnswers,
		PerKey: maxLargeAnswersOfOrganisation,
		Busy:   "Too many large answers are being read.",
	})
	file := httpserver.NewFile(document, "application/json; charset=utf-8")
	return &API{m, file, answers, limit.NewHints[int]()}, nil
}

// megabytes is how many places an answer takes while it is sent: none for a small one.
func megabytes(body []byte) int {
	if len(body) <= httpserver.BlockSize {
		return 0
	}
	return 1 + len(body)>>20
}

// Limiters returns the limiters by the name of the work, for metrics.
func (a *API) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"large_answers": a.answers}
}
