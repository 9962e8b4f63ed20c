package exports

import (
	"context"

	"dg/modules/audit"
	"dg/modules/reports"
)

// Service runs the exports of one instance.
type Service struct {
	reports *reports.Service
	log     *audit.Log
	places  *places
}

// New returns the service. There is one in an instance: its places are those of all surfaces together.
func New(r *reports.Service, log *audit.Log) *Service {
	return &Service{reports: r, log: log, places: newPlaces()}
}

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
