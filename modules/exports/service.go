package exports

import (
	"context"
	"sync"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/fairshare"
)

// Concurrent exports of one instance: in all, of one organisation, and of one key or person. The
// OpenAPI document and /docs state them. An organisation gets fewer while others export (package
// limiter).
const (
	MaxAtOnce               = 8
	MaxAtOnceOfOrganisation = MaxAtOnce / 2
	MaxAtOnceOfActor        = 3
)

// maxWaiting bounds the queue of one organisation. Waiting costs a connection; a refused client
// retries soon, which costs a statement each time.
const maxWaiting = 1000

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
	limiter   *fairshare.Limiter
	recording sync.WaitGroup // of the ends of exports

	// called at the end of each export; set before the first
	OnFinish func(outcome string, rows int64)
}

// Limiters returns the limiters by the name of the work, for metrics.
func (s *Service) Limiters() map[string]*fairshare.Limiter {
	return map[string]*fairshare.Limiter{"exports": s.limiter}
}

// New returns the service. An instance has one, whose limits count the exports of all surfaces
// together.
func New(r Reports, log AuditLog) *Service {
	return &Service{
		reports:  r,
		log:      log,
		OnFinish: func(string, int64) {},
		limiter: fairshare.New(fairshare.Limits{
			MaxConcurrent: MaxAtOnce, MaxConcurrentPerActor: MaxAtOnceOfActor, Waiting: maxWaiting,
		}),
	}
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

// Request is a request for an export of a fork that the actor may read.
type Request struct {
	Query   reports.Query
	Format  reports.Format
	Slug    string // of the fork, for the file name
	Actor   audit.Actor
	Request audit.Request
	// Recheck asks again whether the actor has access, as RecheckContext does. It outlives the HTTP
	// request and must not refer to it.
	Recheck func(ctx context.Context) error
}
