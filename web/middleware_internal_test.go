package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"dg/platform/httpserver"
	"dg/platform/limit"
	"dg/web/ui"
)

// Over https, responses require https for later requests (HSTS), including subdomains.
func TestHSTSCoversSubdomains(t *testing.T) {
	for base, want := range map[string]string{
		"https://dg.example.org": "max-age=31536000; includeSubDomains",
		"http://127.0.0.1:8080":  "", // browsers ignore HSTS over http
		"https://localhost:8443": "", // browsers would refuse other programs of this machine over http
	} {
		c := fiber.New().AcquireCtx(&fasthttp.RequestCtx{})
		(&Handler{Base: ui.Base{Pages: &ui.Pages{BaseURL: base}}}).setHeaders(c)
		require.Equal(t, want, c.GetRespHeader("Strict-Transport-Security"), base)
	}
}

// Each screen needs a slot before it reads the database, even without a session. Without a free slot it responds 503.
func TestEveryScreenTakesASlot(t *testing.T) {
	t.Parallel()
	h := New(Dependencies{Requests: limit.NewRequests(12)}, "http://127.0.0.1:8080", time.Now)
	for _, surface := range []limit.Surface{limit.Screens, limit.Public} {
		held := make(chan error)
		go func() {
			held <- h.requests.Run(t.Context(), surface, "", "0.0.0.0", // app.Test reports this address
				func(ctx context.Context) error {
					held <- nil
					<-ctx.Done()
					return nil
				})
		}()
		require.NoError(t, <-held)
		t.Cleanup(func() { <-held })
	}
	app, server := fiber.New(), httpserver.NewWithoutApp(httpserver.Options{Logger: slog.New(slog.DiscardHandler)})
	app.Use(func(c *fiber.Ctx) error { return server.Handle(c, (*fiber.Ctx).Next) })
	h.Mount(app)
	var requests sync.WaitGroup
	for _, route := range app.GetRoutes(true) {
		if route.Method != http.MethodGet && route.Method != http.MethodPost ||
			strings.HasPrefix(route.Path, "/static/") { // static files come from memory
			continue
		}
		requests.Go(func() {
			request := httptest.NewRequestWithContext(t.Context(), route.Method, route.Path, http.NoBody)
			response, err := app.Test(request, int(2*limit.Wait/time.Millisecond))
			if assert.NoError(t, err) {
				assert.Equal(t, 503, response.StatusCode, "%s %s", route.Method, route.Path)
				assert.NoError(t, response.Body.Close())
			}
		})
	}
	requests.Wait()
}
