package games

import (
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// Service reads forks.
type Service struct{ db *postgres.DB }

// New returns the service over db.
func New(db *postgres.DB) *Service { return &Service{db: db} }

var errForkNotFound = apperr.New(apperr.NotFound,
	"No such fork. Take its id from GET /api/v1/forks.")
