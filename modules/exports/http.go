package exports

import (
	"context"
	"regexp"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/format"
	"dg/platform/httpserver"
)

// Request is a request for an export of a fork that the actor may read.
type Request struct {
	Query   reports.Query
	Dialect format.Dialect
	Slug    string // of the fork, for the file name
	Actor   audit.Actor
	Request audit.Request
	// Authorize asks the caller's policy about the group, before a row is read.
	Authorize func(reports.Header) error
	// Recheck fails if the actor has lost access. It outlives the handler, whose fiber.Ctx it must
	// not use.
	Recheck func(ctx context.Context) error
}

// Send responds to GET with the plays, or with 304. To HEAD it sends the headers of GET. It records
// neither HEAD nor a 304, which transfer nothing.
// Errors: those of Authorize and of the first block, reports.ErrGroupNotFound, 505 for a GET over
// HTTP/1.0, and apperr.Unavailable if too many exports run.
func (s *Service) Send(c *fiber.Ctx, r Request) error {
	release, err := s.slots.Acquire(c.UserContext(), r.Query.OrganisationID)
	if err != nil {
		return err
	}
	e := &export{
		Request: r, service: s, release: release, id: uuid.NewString(),
		gate: s.NewGate(c, r.Recheck),
	}
	streamed := false
	defer func() {
		if !streamed { // also after a panic
			e.free()
		}
	}()
	if e.plays, err = s.reports.OpenExport(c.UserContext(), r.Query, r.Dialect); err != nil {
		return err
	}
	if err := r.Authorize(e.plays.Header); err != nil {
		return err
	}
	if err := e.plays.CheckGroup(r.Query.OrganisationID); err != nil {
		return err
	}
	header := r.header(c, e.plays.Header)
	if tag := header[fiber.HeaderETag]; tag != "" && httpserver.NotModified(c, tag) {
		return httpserver.StreamNotModified(c,
			map[string]string{fiber.HeaderETag: tag, months: header[months]})
	}
	if c.Method() == fiber.MethodHead {
		return httpserver.StreamHead(c, header)
	}
	streamed = true
	return httpserver.Stream(c, e, header)
}

const months = "DG-Months" // the header of Proof.Months

func (r Request) header(c *fiber.Ctx, report reports.Header) map[string]string {
	h := map[string]string{
		fiber.HeaderContentType:        "text/csv; charset=utf-8",
		fiber.HeaderContentDisposition: `attachment; filename="` + fileName(r.Slug, r.Query) + `"`,
	}
	if report.Suppressed {
		h["X-DG-Report-Suppressed"] = "k-anonymity"
	}
	if p := report.Proof; p != nil {
		h[months] = p.Months
		if p.Tag != "" {
			h[fiber.HeaderETag] = httpserver.ETag(c, fileName(r.Slug, r.Query), p.Tag)
		}
	}
	return h
}

var unsafeInName = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// The group's name is left out: a suppressed report's headers must not depend on the group's data.
func fileName(slug string, q reports.Query) string {
	name := slug[:min(len(slug), 80)] + "_" + q.Period.String()
	if q.GroupID != "" {
		name += "_group-" + q.GroupID
	}
	return strings.TrimLeft(unsafeInName.ReplaceAllString(name, "-"), "-_") + ".csv"
}
