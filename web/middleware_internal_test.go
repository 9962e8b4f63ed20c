package web

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/web/ui"
)

// A browser that has met the screens over https never asks for them, or for a host below theirs,
// over http again.
func TestHSTSCoversSubdomains(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://dg.example.org": "max-age=31536000; includeSubDomains",
		"http://127.0.0.1:8080":  "", // browsers ignore it over http
	} {
		app := fiber.New()
		routes{app, []fiber.Handler{func(c *fiber.Ctx) error {
			(&Handler{Pages: &ui.Pages{Base: base}}).setHeaders(c)
			return c.Next()
		}}}.Get("/", func(*fiber.Ctx) error { return nil })
		answer, err := app.Test(
			httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody),
		)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, want, answer.Header.Get("Strict-Transport-Security"), base)
	}
}
