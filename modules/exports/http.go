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
	"dg/platform/httpserver/body"
)

// suppressedHeader tells that k-anonymity left only the header row.
const suppressedHeader = "X-DG-Report-Suppressed"

// Export is an admitted export whose report is open: no play is read, and nothing is recorded. The
// zero Export holds nothing.
type Export struct {
	reports.Header

	request Request
	job     *job // nil: HEAD, whose report is closed, or the stream has it
}

// Open admits an export and opens its report. Between it and Send the caller authorises the read of
// the group by the header, and it closes the export. ctx bounds the work before the answer begins.
// Errors: reports.ErrGroupNotFound, apperr.Unavailable, with RetryAfter when too many exports run.
func (s *Service) Open(ctx context.Context, c *fiber.Ctx, r Request) (*Export, error) {
	if c.Method() == fiber.MethodHead {
		header, err := s.reports.Header(ctx, r.Query)
		return &Export{Header: header, request: r}, err
	}
	lease, err := s.acquire(ctx, r)
	if err != nil {
		return nil, err
	}
	j := &job{request: r, service: s, lease: lease}
	j.watch()
	opening, opened := context.WithCancel(j.ctx)
	defer opened()
	defer context.AfterFunc(ctx, func() { j.stop(context.Cause(ctx)) })()
	httpserver.OnDisconnect(opening, c, func() { j.stop(body.ErrClientGone) })
	if j.export, err = s.reports.OpenExport(j.ctx, r.Query, r.Format); err != nil {
		defer j.free()
		if cause := context.Cause(j.ctx); cause != nil && !errors.Is(err, cause) {
			return nil, fmt.Errorf("%w: %w", cause, err)
		}
		return nil, err
	}
	return &Export{j.export.Header, r, j}, nil
}

// Close frees what the export holds, unless Send passed it to the stream. It may be called again,
// and for an export that was not opened.
func (e *Export) Close() {
	if e != nil && e.job != nil {
		e.job.free()
		e.job = nil
	}
}

// Send answers c with an open export and closes it. HEAD sends the headers of GET, exports nothing
// and records nothing. Errors: reports.ErrGroupNotFound for a group of another organisation.
func (s *Service) Send(c *fiber.Ctx, e *Export) error {
	defer e.Close()
	r := e.request
	if err := e.CheckGroup(r.Query.OrganisationID); err != nil {
		return err
	}
	options := httpserver.StreamOptions{
		ContentType: "text/csv; charset=utf-8",
		Gzip:        true,
		Header: map[string]string{
			fiber.HeaderContentDisposition: `attachment; filename="` + fileName(r.Slug, r.Query) +
				`"`,
			fiber.HeaderCacheControl: "no-store",
		},
	}
	if e.Suppressed {
		options.Header[suppressedHeader] = "k-anonymity"
	}
	if e.job == nil {
		return httpserver.Stream(c, nil, options)
	}
	options.Context = e.job.ctx
	err := httpserver.Stream(c, e.job.start, options)
	if err == nil {
		e.job = nil
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
