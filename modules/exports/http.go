package exports

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/gofiber/fiber/v2"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/fairshare"
	"dg/platform/httpserver"
)

// suppressedHeader tells that k-anonymity left only the header row.
const suppressedHeader = "X-DG-Report-Suppressed"

// Send answers c with the requested export. ctx bounds only the work before the answer begins. HEAD
// sends the headers of GET, exports nothing and records nothing.
// Errors: reports.ErrGroupNotFound, apperr.Unavailable, with RetryAfter when too many exports run.
func (s *Service) Send(ctx context.Context, c *fiber.Ctx, r Request) error {
	options := httpserver.StreamOptions{
		ContentType: "text/csv; charset=utf-8",
		Gzip:        true,
		Header: map[string]string{
			fiber.HeaderContentDisposition: `attachment; filename="` + fileName(r.Slug, r.Query) +
				`"`,
			fiber.HeaderCacheControl: "no-store",
		},
	}
	if c.Method() == fiber.MethodHead {
		return s.sendHead(ctx, c, r.Query, options)
	}
	lease, err := s.acquire(ctx, r)
	if err != nil {
		return err
	}
	j := &job{request: r, service: s, lease: lease}
	options.Context = j.watch()
	err = httpserver.Stream(c, func(ctx context.Context) (httpserver.Source, error) {
		return j.open(ctx, options.Header)
	}, options)
	if err != nil {
		j.stop(nil)
		lease.Release()
	}
	return err
}

// acquire waits with jitter, so that rejected clients do not retry in lockstep.
func (s *Service) acquire(ctx context.Context, r Request) (*fairshare.Lease, error) {
	lease, err := s.limiter.Acquire(ctx, fairshare.Request{
		OrganisationID: r.Query.OrganisationID, ActorID: r.Actor.ID,
		Waited: rand.N(fairshare.Wait / 2), //nolint:gosec // jitter
	})
	if met, refused := errors.AsType[*fairshare.BoundError](err); refused {
		return nil, newBusyError(met, r.Actor.Kind)
	}
	return lease, err
}

// newBusyError names the limit that refused an export.
func newBusyError(met *fairshare.BoundError, by audit.ActorKind) error {
	limit := fmt.Sprintf("on this instance: at most %d run at once", MaxAtOnce)
	switch {
	case met.Bound == fairshare.OfOrganisation:
		limit = fmt.Sprintf(
			"of this organisation: at most %d run at once, fewer while others export",
			MaxAtOnceOfOrganisation,
		)
	case met.Bound == fairshare.OfActor && by == audit.Key:
		limit = fmt.Sprintf("with this key: at most %d run at once", MaxAtOnceOfActor)
	case met.Bound == fairshare.OfActor:
		limit = fmt.Sprintf("of yours: at most %d run at once", MaxAtOnceOfActor)
	}
	e := apperr.Wrap(apperr.Unavailable, met, "Too many exports %s. Retry in %d seconds.", limit,
		fairshare.RetryAfter)
	e.RetryAfter = fairshare.RetryAfter
	return e
}

func (s *Service) sendHead(
	ctx context.Context, c *fiber.Ctx, q reports.Query, o httpserver.StreamOptions,
) error {
	suppressed, err := s.reports.Suppressed(ctx, q)
	if err != nil {
		return err
	}
	if suppressed {
		o.Header[suppressedHeader] = "k-anonymity"
	}
	return httpserver.Stream(c, nil, o)
}
