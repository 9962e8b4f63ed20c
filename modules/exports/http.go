package exports

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/reports"
	"dg/platform/httpserver"
	"dg/platform/limiter"
)

// suppressedHeader says that k-anonymity left only the header row (specification, section 4.4).
const suppressedHeader = "X-DG-Report-Suppressed"

// Send answers a request with the export that it ordered. ctx bounds what is done before the answer; the export itself has
// bounds of its own. HEAD gets the headers of GET: it exports nothing and records nothing.
// Errors: reports.ErrGroupNotFound, ErrUnavailable, with RetryAfter where too many exports run.
func (s *Service) Send(ctx context.Context, c *fiber.Ctx, o Order) error {
	options := httpserver.StreamOptions{
		ContentType: "text/csv; charset=utf-8",
		Gzip:        true,
		Header: map[string]string{
			fiber.HeaderContentDisposition: `attachment; filename="` + fileName(o.Slug, o.Query.Period) + `"`,
			fiber.HeaderCacheControl:       "no-store",
		},
	}
	if c.Method() == fiber.MethodHead {
		return s.sendHead(ctx, c, o.Query, options)
	}
	lease, err := s.limiter.Acquire(ctx, limiter.Request{OrganisationID: o.Query.OrganisationID, ActorID: o.Actor.ID})
	if err != nil {
		return err
	}
	r := &running{Order: o, service: s, lease: lease}
	options.Context = r.watch()
	err = httpserver.Stream(c, func(ctx context.Context) (httpserver.Source, error) {
		return r.open(ctx, options.Header)
	}, options)
	if err != nil {
		r.stop(nil)
		lease.Release()
	}
	return err
}

func (s *Service) sendHead(ctx context.Context, c *fiber.Ctx, q reports.Query, o httpserver.StreamOptions) error {
	suppressed, err := s.reports.Suppressed(ctx, q)
	if err != nil {
		return err
	}
	if suppressed {
		o.Header[suppressedHeader] = "k-anonymity"
	}
	return httpserver.Stream(c, nil, o)
}

// fileName names the fork's slug and the period, in ASCII that needs no quoting.
func fileName(slug string, p reports.Period) string {
	ascii := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, slug)
	return ascii[:min(len(ascii), 80)] + "_" + p.String() + ".csv"
}
