package exports

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/apperr"
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

	// called at the end of each export; set before the first
	OnFinish func(outcome string, rows int64)
}

// New returns the service. An instance has one, whose limits count the exports of all surfaces
// together.
func New(r Reports, log AuditLog) *Service {
	return &Service{
		reports:  r,
		log:      log,
		OnFinish: func(string, int64) {},
		actors:   limit.New(limit.Options{Max: 10_000, PerKey: MaxAtOnceOfActor}),
		all:      limit.New(limit.Options{Max: MaxAtOnce, PerKey: MaxAtOnceOfOrganisation}),
	}
}

// Limiters returns the limiters by the name of the work, for metrics.
func (s *Service) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"exports": s.all}
}

// acquire waits for a place of the actor, of the organisation and of the instance.
func (s *Service) acquire(ctx context.Context, r Request) (release func(), err error) {
	actor, err := s.actors.Acquire(ctx, r.Actor.ID)
	if err != nil {
		of := "with this key"
		if r.Actor.Kind == audit.Person {
			of = "of yours"
		}
		return nil, busyError(err, limit.ErrKeyBusy, of, MaxAtOnceOfActor)
	}
	place, err := s.all.Acquire(ctx, r.Query.OrganisationID)
	if err != nil {
		actor()
		err = busyError(err, limit.ErrKeyBusy, "of this organisation", MaxAtOnceOfOrganisation)
		return nil, busyError(err, limit.ErrAllBusy, "on this instance", MaxAtOnce)
	}
	return func() {
		place()
		actor()
	}, nil
}

// busyError names the limit that refused an export, if it is that one.
func busyError(err, limited error, of string, most int) error {
	if !errors.Is(err, limited) {
		return err
	}
	busy := apperr.Wrap(apperr.Unavailable, fmt.Errorf("exports %s: %w", of, limited),
		"Too many exports %s: at most %d run at once. Retry in %d seconds.", of, most,
		limit.RetryAfter)
	busy.RetryAfter = limit.RetryAfter
	return busy
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
	// Recheck asks again whether the actor has access, see Recheck. It outlives the HTTP request and
	// must not refer to it.
	Recheck func(ctx context.Context) error
}
