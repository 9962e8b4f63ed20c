package publicapi

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/httpserver"
)

// rules.md, Order of checks: every 401 has a challenge, with invalid_token where a token was sent.
// The scheme is Bearer in any case.
func TestChallengeSaysWhetherATokenWasSent(t *testing.T) {
	t.Parallel()
	app := httpserver.New(httpserver.Options{Logger: slog.New(slog.DiscardHandler)}).App()
	app.Use((&API{}).guard)
	const plain = `Bearer`
	const invalid = `Bearer error="invalid_token"`
	for _, c := range []struct {
		headers []string
		want    string
	}{
		{nil, plain},
		{[]string{"Bearer"}, plain},
		{[]string{"Bearer "}, plain},
		{[]string{"Basic dXNlcjpwYXNz"}, plain},
		{[]string{"Token x"}, plain},
		{[]string{"Bearer x"}, invalid},
		{[]string{"bearer x"}, invalid},
		{[]string{"BEARER x"}, invalid},
		{[]string{"bEaReR  x"}, invalid},
		{[]string{"Basic dXNlcjpwYXNz", "bearer x"}, invalid},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/forks", nil)
		r.Header["Authorization"] = c.headers
		response, err := app.Test(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusUnauthorized, response.StatusCode, "%q", c.headers)
		require.Equal(t, []string{c.want}, response.Header["Www-Authenticate"], "%q", c.headers)
	}
}
