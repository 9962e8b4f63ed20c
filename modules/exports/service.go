package exports

import (
	"context"
	"regexp"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/httpserver"
	"dg/platform/limit"
)

// Concurrent exports of one instance: in all, of one organisation, and of one key or person. The
// OpenAPI document and /docs state them.
const (
	MaxAtOnce               = 8
	MaxAtOnceOfOrganisation = 4
	MaxAtOnceOfActor        = 3
)

// Reports opens the plays of a report. Package reports says what the methods promise.
type Reports interface {
	OpenExport(ctx context.Context, q reports.Query, f reports.Format) (*reports.Export, error)
	Header(ctx context.Context, q reports.Query) (reports.Header, error)
}

// AuditLog records exports.
type AuditLog interface {
	Append(ctx context.Context, e audit.Entry) error
}

// Service runs the exports of one instance.
type Service struct {
	reports   Reports
	log       AuditLog
	actors    *limit.Limiter
	all       *limit.Limiter
	recording sync.WaitGroup // of the ends of exports
	finished  *prometheus.CounterVec
	rows      prometheus.Counter
}

// New returns the service, and registers its metrics. An instance has one, whose limits count the
// exports of all surfaces together.
func New(r Reports, log AuditLog, metrics prometheus.Registerer) *Service {
	s := &Service{
		reports: r,
		log:     log,
		actors: limit.New(limit.Options{
			Max:     10_000,
			PerKey:  MaxAtOnceOfActor,
			KeyBusy: "Too many exports with this key or account: at most 3 run at once.",
		}),
		all: limit.New(limit.Options{
			Max:     MaxAtOnce,
			PerKey:  MaxAtOnceOfOrganisation,
			Busy:    "Too many exports on this instance: at most 8 run at once.",
			KeyBusy: "Too many exports of this organisation: at most 4 run at once.",
		}),
		finished: promauto.With(metrics).NewCounterVec(prometheus.CounterOpts{
			Name: "dg_exports_finished_total",
			Help: "Finished exports.",
		}, []string{"outcome"}),
		rows: promauto.With(metrics).NewCounter(prometheus.CounterOpts{
			Name: "dg_export_rows_total",
			Help: "Plays that finished exports have sent.",
		}),
	}
	s.finished.WithLabelValues(failed) // a rate needs a value before the first event
	for _, o := range outcomes {
		s.finished.WithLabelValues(o.name)
	}
	return s
}

// Limiters returns the limiters by the name of the work, for metrics.
func (s *Service) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"exports": s.all}
}

// acquire waits for a place of the actor, of the organisation and of the instance.
func (s *Service) acquire(ctx context.Context, r Request) (release func(), err error) {
	actor, err := s.actors.Acquire(ctx, r.Actor.ID)
	if err != nil {
		return nil, err
	}
	place, err := s.all.Acquire(ctx, r.Query.OrganisationID)
	if err != nil {
		actor()
		return nil, err
	}
	return func() {
		place()
		actor()
	}, nil
}

// Request is a request for an export of a fork that the actor may read.
type Request struct {
	Query   reports.Query
	Format  reports.Format
	Slug    string // of the fork, for the file name
	Actor   audit.Actor
	Request audit.Request
	// Authorize asks the caller's policy about the group, before a play is read.
	Authorize func(reports.Header) error
	// Recheck asks again whether the actor has access, see Recheck. It outlives the HTTP request and
	// must not refer to it.
	Recheck func(ctx context.Context) error
}

// Send answers c with the plays. HEAD sends the headers of GET, exports nothing and records nothing.
// Errors: those of Authorize, reports.ErrGroupNotFound, and apperr.Unavailable, with RetryAfter when
// too many exports run.
func (s *Service) Send(c *fiber.Ctx, r Request) error {
	ctx := c.UserContext()
	if c.Method() == fiber.MethodHead {
		header, err := s.reports.Header(ctx, r.Query)
		if err == nil {
			err = r.authorize(header)
		}
		if err != nil {
			return err
		}
		return httpserver.StreamHead(c, r.options(header))
	}
	release, err := s.acquire(ctx, r)
	if err != nil {
		return err
	}
	plays, err := s.reports.OpenExport(ctx, r.Query, r.Format)
	if err != nil {
		release()
		return err
	}
	e := newExport(httpserver.StreamContext(c), s, r, plays, release)
	started := false
	defer func() {
		if !started {
			e.free()
		}
	}()
	if err := r.authorize(plays.Header); err != nil {
		return err
	}
	if !c.Context().Request.Header.IsHTTP11() { // before the start is recorded
		return fiber.NewError(fiber.StatusHTTPVersionNotSupported)
	}
	if err := e.recordStart(ctx); err != nil {
		return err
	}
	started = true
	return httpserver.Stream(c, e, r.options(plays.Header))
}

func (r Request) authorize(header reports.Header) error {
	if err := r.Authorize(header); err != nil {
		return err
	}
	return header.CheckGroup(r.Query.OrganisationID)
}

// suppressedHeader tells that k-anonymity left only the header row.
const suppressedHeader = "X-DG-Report-Suppressed"

func (r Request) options(header reports.Header) httpserver.StreamOptions {
	o := httpserver.StreamOptions{
		ContentType: "text/csv; charset=utf-8",
		Header: map[string]string{
			fiber.HeaderContentDisposition: `attachment; filename="` + fileName(r.Slug, r.Query) + `"`,
		},
	}
	if header.Suppressed {
		o.Header[suppressedHeader] = "k-anonymity"
	}
	return o
}

var notPlain = regexp.MustCompile(`[^A-Za-z0-9_]+`)

const maxSlug = 80 // bytes of a file name

// fileName joins the fork's slug, the period and the group's id, in ASCII that needs no quoting. It
// omits the group's name, which would tell suppressed answers apart.
func fileName(slug string, q reports.Query) string {
	plain := func(text string) string {
		text = strings.Trim(notPlain.ReplaceAllString(text, "-"), "-")
		return strings.TrimSuffix(text[:min(len(text), maxSlug)], "-")
	}
	name := plain(slug)
	if name == "" {
		name = "plays"
	}
	name += "_" + q.Period.String()
	if q.GroupID != "" {
		name += "_group-" + plain(q.GroupID)
	}
	return name + ".csv"
}

// Drain waits until the ends of all exports are recorded, or until ctx ends. No export may start
// after it is called.
func (s *Service) Drain(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		s.recording.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
