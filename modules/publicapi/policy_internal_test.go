package publicapi

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/games"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/limit"
)

// rules.md, Failures: the policy is asked about the organisation that owns what was loaded. It alone
// refuses another organisation's data, on a plain fiber.
func TestPolicyRefusesWhatAQueryLetsThrough(t *testing.T) {
	t.Parallel()
	policy, err := authz.New()
	require.NoError(t, err)
	token := apikeys.NewToken()
	caller := apikeys.Caller{
		Actor: audit.Actor{Kind: audit.Key, ID: "key"},
		Subject: authz.Subject{Kind: authz.Key, OrganisationID: "own",
			Grants: []string{string(apikeys.ForksRead), string(apikeys.ReportsRead)}},
	}
	foreign := games.Fork{ID: "fork", OrganisationID: "another", Title: "Foreign"}
	forks := newMockForks(t) // as a query without its condition would answer
	forks.On("Fork", mock.Anything, "own", "fork").Return(foreign, nil)
	forks.On("Forks", mock.Anything, "own").Return([]games.Fork{foreign}, nil)
	for path, status := range map[string]int{
		"/api/v1/forks":                  http.StatusInternalServerError,
		"/api/v1/forks/fork":             http.StatusForbidden,
		"/api/v1/forks/fork/stats":       http.StatusForbidden,
		"/api/v1/forks/fork/exports/csv": http.StatusForbidden,
	} {
		keys := newMockKeys(t)
		keys.On("Authenticate", mock.Anything, token, mock.Anything).Return(caller, nil)
		if status == http.StatusForbidden {
			keys.On("Refuse", mock.Anything, caller, audit.OtherOrganisation, mock.Anything,
				mock.Anything, errForeignFork).Return(errForeignFork)
		}
		api, err := New(Modules{Keys: keys, Games: forks, Policy: policy,
			Requests: limit.NewRequests(5)}, "http://dg.example.org")
		require.NoError(t, err)
		app := fiber.New()
		api.Mount(app)
		response, body := ask(t, app, path,
			http.Header{"Authorization": {"Bearer " + token.String()}})
		require.Equal(t, status, response.StatusCode, path)
		require.NotContains(t, body, "Foreign", path)
	}
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
		{[]string{"Basic " + token}, plain},
		{[]string{token}, plain},
		{[]string{"Bearer" + token}, plain},
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

// rules.md, Bounds: statistics above 64 KB wait for the 48 MB of their organisation that are being
// sent. Smaller ones and other organisations do not.
func TestLargeStatisticsWaitForTheirOrganisation(t *testing.T) {
	t.Parallel()
	api, err := New(Modules{}, "http://dg.example.org")
	require.NoError(t, err)
	send := func(organisation string, size int) (status int) {
		app := fiber.New()
		app.Get("/", func(c *fiber.Ctx) error {
			r := &call{c: c, ctx: t.Context()}
			r.caller.OrganisationID = organisation
			return httpserver.Handle(c, nil, func(*fiber.Ctx) error {
				return api.send(r, bytes.Repeat([]byte("1"), size), "")
			})
		})
		response, body := ask(t, app, "/", nil)
		assert.Len(t, body, size)
		return response.StatusCode
	}
	const small, large = 64 << 10, 64<<10 + 1
	first, err := api.largeResponses.AcquireN(t.Context(), "own", 47)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, send("own", large), "the last of the 48 MB")
	second, err := api.largeResponses.AcquireN(t.Context(), "own", 1)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, send("own", small))
	require.Equal(t, http.StatusOK, send("another", large))
	done := make(chan int, 1)
	go func() { done <- send("own", large) }()
	require.Eventually(t, func() bool { return api.largeResponses.Stats().Waiting == 1 },
		10*time.Second, time.Millisecond)
	require.Empty(t, done)
	second()
	require.Equal(t, http.StatusOK, <-done)
	first()

	// each megabyte counts: with 47 taken, 2 MB wait
	most, err := api.largeResponses.AcquireN(t.Context(), "own", 47)
	require.NoError(t, err)
	go func() { done <- send("own", 1<<20+1) }()
	require.Eventually(t, func() bool { return api.largeResponses.Stats().Waiting == 1 },
		10*time.Second, time.Millisecond)
	most()
	require.Equal(t, http.StatusOK, <-done)
	require.Zero(t, api.largeResponses.Stats().Running, "what was sent gives its share back")
}

func ask(
	t *testing.T, app *fiber.App, path string, header http.Header,
) (response *http.Response, body string) {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header = header
	response, err := app.Test(r, -1) // without a timeout
	require.NoError(t, err)
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(read)
}
