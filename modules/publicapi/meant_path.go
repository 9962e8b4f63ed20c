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

// meantPaths are the endpoints by the forms of the paths that are probably meant for them: the
// first that matches counts. They are all that an answer can name, whatever the data.
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

// explainUnknownPath names the endpoint that was probably meant where the router found none.
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
