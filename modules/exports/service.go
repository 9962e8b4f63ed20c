package exports

import (
	"context"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/places"
)

// Service runs the exports of one instance.
type Service struct {
	reports *reports.Service
	log     *audit.Log
	places  *places.Places
}

// How many exports one instance runs at once: in all, which is also the size of the pool that they read through, and for one
// key or person.
const (
	MaxAtOnce        = 8
	maxAtOnceOfActor = 4
)

// New returns the service. There is one in an instance: its places are those of all surfaces together.
func New(r *reports.Service, log *audit.Log) *Service {
	return &Service{reports: r, log: log, places: places.New(MaxAtOnce, maxAtOnceOfActor, tooMany)}
}

const tooMany = "Too many exports are running. Let one finish, then try again."

// Order is an export that somebody asked for and may have.
type Order struct {
	Query   reports.Query
	Slug    string // of the fork: it names the file
	Actor   audit.Actor
	Request audit.Request
	// StillAllowed returns nil while the actor may have the export, and ErrAuthRequired, ErrAccessDenied or ErrNotFound once
	// that is over. It is asked until the export ends, when another request has long taken the place of the one that
	// ordered it: nothing of that request may be in it.
	StillAllowed func(ctx context.Context) error
}
