package publicapi

import (
	"errors"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
)

// meantPaths are the endpoints with the forms of paths that probably mean them. The first match
// counts. An answer names nothing else, so it reveals no data.
var meantPaths = []struct {
	form     *regexp.Regexp
	endpoint string
}{
	{regexp.MustCompile(`^forks?$`), "/api/v1/forks"},
	{
		regexp.MustCompile(`^(forks?/)?([^/]+/)?(stats?|statistics?|reports?)$`),
		"/api/v1/forks/{forkId}/stats",
	},
	{
		regexp.MustCompile(`^(forks?/)?([^/]+/)?((exports?|plays|csv)/)?(exports?|plays|csv)$`),
		"/api/v1/forks/{forkId}/exports/csv",
	},
	{regexp.MustCompile(`^forks?/[^/]+$`), "/api/v1/forks/{forkId}"},
}

// meantEndpoint returns the endpoint that a caller probably means by an unknown path inside the
// API, or "".
func meantEndpoint(sent string) string {
	if plain, err := url.PathUnescape(sent); err == nil {
		sent = plain
	}
	within := strings.ToLower(path.Clean("/" + strings.TrimPrefix(sent, prefix)))[1:]
	within = strings.Replace(strings.TrimSuffix(within, ".json"), ".csv", "/csv", 1)
	for _, m := range meantPaths {
		if m.form.MatchString(within) {
			return m.endpoint
		}
	}
	return ""
}

// explainUnknownPath adds the endpoint that was probably meant to the router's 404.
func explainUnknownPath(c *fiber.Ctx, err error) error {
	unrouted, ok := errors.AsType[*fiber.Error](err)
	if !ok || unrouted.Code != fiber.StatusNotFound {
		return err
	}
	if endpoint := meantEndpoint(pathOf(c)); endpoint != "" {
		return apperr.New(apperr.NotFound,
			"No such endpoint. Did you mean %s? Paths are case-sensitive and have no trailing slash.",
			endpoint)
	}
	return err
}
