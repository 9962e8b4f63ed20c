package publicapi

import (
	"context"
	"net/http"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/games"
	"dg/platform/authz"
	"dg/platform/limit"
)

// looseForks returns another organisation's fork, as a query without its condition would.
type looseForks struct{}

var foreign = games.Fork{ID: "fork", OrganisationID: "another", Title: "Foreign"}

func (looseForks) Fork(context.Context, string, string) (games.Fork, error) { return foreign, nil }

func (looseForks) Forks(context.Context, string) ([]games.Fork, error) {
	return []games.Fork{foreign}, nil
}

func (looseForks) ForkOwner(context.Context, string) (string, error) { return "another", nil }

// anyKey accepts every key, with both scopes.
type anyKey struct {
	Keys
	refused audit.Reason
}

func (*anyKey) Authenticate(
	context.Context, apikeys.Token, func() audit.Request,
) (apikeys.Caller, error) {
	return apikeys.Caller{
		Actor: audit.Actor{Kind: audit.Key, ID: "key"},
		Subject: authz.Subject{Kind: authz.Key, OrganisationID: "own",
			Grants: []string{string(apikeys.ForksRead), string(apikeys.ReportsRead)}},
	}, nil
}

func (k *anyKey) Refuse(
	_ context.Context, _ apikeys.Caller, reason audit.Reason, _ audit.Target, _ audit.Request,
	answer error,
) error {
	k.refused = reason
	return answer
}

// rules.md, Failures: the policy is asked about the organisation that owns what was loaded. It alone
// refuses another organisation's data, on a plain fiber.
func TestPolicyRefusesWhatAQueryLetsThrough(t *testing.T) {
	t.Parallel()
	policy, err := authz.New()
	require.NoError(t, err)
	token := apikeys.NewToken()
	for path, status := range map[string]int{
		"/api/v1/forks":                  http.StatusInternalServerError,
		"/api/v1/forks/fork":             http.StatusForbidden,
		"/api/v1/forks/fork/stats":       http.StatusForbidden,
		"/api/v1/forks/fork/exports/csv": http.StatusForbidden,
	} {
		keys := &anyKey{}
		api, err := New(Modules{Keys: keys, Games: looseForks{}, Policy: policy,
			Requests: limit.NewRequests(5)}, "http://dg.example.org")
		require.NoError(t, err)
		app := fiber.New()
		api.Mount(app)
		response, body := ask(t, app, path,
			http.Header{"Authorization": {"Bearer " + token.String()}})
		require.Equal(t, status, response.StatusCode, path)
		require.NotContains(t, body, "Foreign", path)
		if status == http.StatusForbidden {
			require.Equal(t, audit.OtherOrganisation, keys.refused, path)
		}
	}
}
