package exports

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"dg/modules/reports"
	"dg/platform/httpserver"
)

// suppressedHeader tells that k-anonymity left only the header row.
const suppressedHeader = "X-DG-Report-Suppressed"

// Export is an admitted export whose report is open: no play is read, and nothing is recorded.
type Export struct {
	reports.Header

	request Request
	job     *job // nil: HEAD, whose report is closed, or the stream has it
}

// Open admits an export and opens its report. Between it and Send the caller authorises the read of
// the group by the header, and it closes the export.
// Errors: reports.ErrGroupNotFound, apperr.Unavailable, with RetryAfter when too many exports run.
func (s *Service) Open(ctx context.Context, c *fiber.Ctx, r Request) (*Export, error) {
	if c.Method() == fiber.MethodHead {
		header, err := s.reports.Header(ctx, r.Query)
		return &Export{Header: header, request: r}, err
	}
	release, err := s.acquire(ctx, r)
	if err != nil {
		return nil, err
	}
	plays, err := s.reports.OpenExport(ctx, r.Query, r.Format)
	if err != nil {
		release()
		return nil, err
	}
	return &Export{plays.Header, r, newJob(s, httpserver.StreamContext(c), r, plays, release)}, nil
}

// Close frees what the export holds, unless Send passed it to the stream. It may be called again,
// and on nil.
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
		Header: map[string]string{
			fiber.HeaderContentDisposition: `attachment; filename="` + fileName(r.Slug, r.Query) +
				`"`,
		},
	}
	if e.Suppressed {
		options.Header[suppressedHeader] = "k-anonymity"
	}
	if e.job == nil {
		return httpserver.StreamHead(c, options)
	}
	if !c.Context().Request.Header.IsHTTP11() { // before the start is recorded
		return fiber.NewError(fiber.StatusHTTPVersionNotSupported)
	}
	if err := e.job.start(c.UserContext()); err != nil {
		return err
	}
	j := e.job
	e.job = nil
	return httpserver.Stream(c, j, options)
}
