package publicapi

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/httpserver"
)

func parsed(t *testing.T, query string) (read reports.Query, err error) {
	app := httpserver.New(httpserver.Options{Logger: slog.New(slog.DiscardHandler)}).App()
	app.Get("/", func(c *fiber.Ctx) error {
		read, err = reportQuery(c, games.Fork{ID: "fork", OrganisationID: "org"})
		return nil
	})
	ask(t, app, "/?"+query, http.Header{})
	return read, err
}

// rules.md, Formats: the parameters of statistics and exports. Package input proves the form of a
// day, package reports that of a period.
func TestReportParametersAreValidated(t *testing.T) {
	t.Parallel()
	const day = "from=2024-03-01&to=2024-03-02"
	for query, group := range map[string]string{
		day:                         "",
		"to=2024-03-02&" + day[:15]: "",
		day + "&groupId=x":          "x",
		day + "&groupId=0B9F6F0E-5A3C-4D56-9A77-1F8F5A1C2E40": "0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e40",
	} {
		period, err := reports.ParsePeriod("2024-03-01", "2024-03-02")
		require.NoError(t, err)
		got, err := parsed(t, query)
		require.NoError(t, err, query)
		require.Equal(t, reports.Query{
			OrganisationID: "org", ForkID: "fork", Period: period, GroupID: group,
		}, got, query)
	}
	for _, query := range []string{
		"from&to=2024-03-01", "from=2024-03-01%00&to=2024-03-01", day + "&%66rom=2024-03-01",
		day + "&groupId", day + "&groupId=x&groupId=x", day + "&GROUPID=x", day + "&=", day + "&=x",
	} {
		_, err := parsed(t, query)
		require.True(t, apperr.Is(err, apperr.Validation), "%s: %v", query, err)
	}
}

// rules.md, Formats: the error of an unknown parameter names those of the endpoint, that of a day
// its value. Neither shows a secret of a key.
func TestErrorsNameTheParameterAndItsValue(t *testing.T) {
	t.Parallel()
	const others = "This endpoint takes `from`, `to` and `groupId`."
	const format = ". Send a calendar day, YYYY-MM-DD, for example 2026-03-01."
	const noDay = "`from` is not a day from 2000-01-01 to 2199-12-31: "
	const unknown = "Unknown query parameter "
	id := strings.Repeat("i", 22)
	for sent, want := range map[string]string{
		"group=x":                   unknown + "`group`. " + others,
		"end=&unknown":              unknown + "`end`. " + others,
		"a%0D%0Ab%FF=1":             unknown + "`a\uFFFD\uFFFDb\uFFFD`. " + others,
		"=x":                        unknown + "`=`. " + others,
		strings.Repeat("x-", 1_500): unknown + "`" + strings.Repeat("x-", 30) + "…`. " + others,
		"dg_live_" + id + "_" + strings.Repeat("s", 43) + "=": unknown + "`dg_live_" + id + "_…`. " +
			others,
		"x" + "dg%255Flive_" + id + "_sss": unknown + "`xdg_live_" + id + "_…`. " + others,

		"to=2026-03-01&from=yesterday": noDay + "yesterday" + format,
		"to=2026-03-01&from=dg_live_" + id + "_" + strings.Repeat("s", 49): noDay + "dg_live_" +
			id + "_…" + format,
		"to=2026-03-01&from=x" + strings.Repeat("A", 49): noDay + "…" + format,
	} {
		_, err := parsed(t, sent)
		require.EqualError(t, err, "ERR_VALIDATION: "+want, sent)
	}
}
