package exports

import (
	"context"
	"sync"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/limiter"
)

// Service runs the exports of one instance.
type Service struct {
	reports *reports.Service
	log     *audit.Log
	limiter *limiter.Limiter

	recording sync.WaitGroup // of the ends of exports
}

// How many exports one instance runs at once: in all, which is also the size of the pool that they read through, for one
// organisation, and for one key or person. Callers can meet these bounds: they are in the API's document and in the
// documentation.
const (
	MaxAtOnce               = 8
	MaxAtOnceOfOrganisation = 4
	MaxAtOnceOfActor        = 3
)

// New returns the service. There is one in an instance: its limits are those of all surfaces together.
func New(r *reports.Service, log *audit.Log) *Service {
	return &Service{reports: r, log: log, limiter: limiter.New(limiter.Limits{
		Places: MaxAtOnce, OrganisationPlaces: MaxAtOnceOfOrganisation, ActorPlaces: MaxAtOnceOfActor, Busy: tooMany,
	})}
}

// Drain waits until the ends of exports that have ended are recorded, at most until ctx ends. Nothing may be exported any more.
func (s *Service) Drain(ctx context.Context) {
	done := make(chan struct{})
	go func() { s.recording.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

const tooMany = "Too many exports are running."

// Order is an export that somebody asked for and may have.
type Order struct {
	Query   reports.Query
	Slug    string // of the fork: it names the file
	Actor   audit.Actor
	Request audit.Request
	// Recheck returns nil while the actor may have the export, and ErrAuthRequired, ErrAccessDenied or ErrNotFound once
	// that is over. Any other error says that there was no answer. It is asked until the export ends, when another request has
	// long taken the place of the one that ordered it: nothing of that request may be in it.
	Recheck func(ctx context.Context) error
}
