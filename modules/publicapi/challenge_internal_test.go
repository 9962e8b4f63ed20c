package publicapi

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/httpserver"
)

// ask sends a request to an app that does not listen.
func ask(
	t *testing.T, app *fiber.App, path string, header http.Header,
) (response *http.Response, body string) {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header = header
	response, err := app.Test(r)
	require.NoError(t, err)
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(read)
}

// rules.md, Order of checks, 2: no key, a malformed key or several headers get 401 before any
// lookup. The challenge has invalid_token if a token was sent. The scheme is Bearer in any case.
func TestChallengeSaysWhetherATokenWasSent(t *testing.T) {
	t.Parallel()
	app := httpserver.New(httpserver.Options{Logger: slog.New(slog.DiscardHandler)}).App()
	(&API{}).Mount(app)
	token := apikeys.NewToken().String()
	const plain = `Bearer`
	const invalid = `Bearer error="invalid_token"`
	for _, c := range []struct {
		headers []string
		want    string
	}{
		{nil, plain},
		{[]string{"Bearer"}, plain},
		{[]string{"Bearer "}, plain},
		{[]string{"Basic " + token}, plain},
		{[]string{token}, plain},
		{[]string{"Bearer" + token}, plain},
		{[]string{"Token x"}, plain},
		{[]string{"Bearer x"}, invalid},
		{[]string{"bearer x"}, invalid},
		{[]string{"bEaReR  x"}, invalid},
		{[]string{"Bearer " + token + " x"}, invalid},
		{[]string{"Bearer " + token[:len(token)-1]}, invalid},
		{[]string{"Bearer " + token + "0"}, invalid},
		{[]string{"Bearer " + strings.Replace(token, "live", "test", 1)}, invalid},
		{[]string{"Bearer " + token, "Bearer " + token}, invalid},
		{[]string{"Bearer " + token, "Basic eDp5"}, invalid},
	} {
		path := "/api/v1/forks?api_key=" + token + "&access_token=" + token
		response, _ := ask(t, app, path, http.Header{
			"Authorization": c.headers,
			"Cookie":        {"Authorization=Bearer " + token},
		})
		require.Equal(t, http.StatusUnauthorized, response.StatusCode, "%q", c.headers)
		require.Equal(t, []string{c.want}, response.Header["Www-Authenticate"], "%q", c.headers)
		require.Empty(t, response.Header.Get("RateLimit"))
	}
}
