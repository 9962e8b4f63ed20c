package web

import (
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"dg/web/ui"
)

// Over https the screens require https of the browser from then on, also for hosts below theirs.
func TestHSTSCoversSubdomains(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://dg.example.org": "max-age=31536000; includeSubDomains",
		"http://127.0.0.1:8080":  "", // browsers ignore it over http
	} {
		app := fiber.New()
		c := app.AcquireCtx(&fasthttp.RequestCtx{})
		(&Handler{Pages: &ui.Pages{BaseURL: base}}).setHeaders(c)
		require.Equal(t, want, c.GetRespHeader("Strict-Transport-Security"), base)
		app.ReleaseCtx(c)
	}
}
