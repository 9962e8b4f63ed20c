package org

import (
	"context"
	"regexp"

	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/postgres"
)

// Service reads organisations, and changes what their owners may change.
type Service struct {
	db     *postgres.DB
	log    *audit.Log
	policy *authz.Policy
}

// New returns the service over db.
func New(db *postgres.DB, log *audit.Log, policy *authz.Policy) *Service {
	return &Service{db: db, log: log, policy: policy}
}

// Organisation is what other modules need to know of one.
type Organisation struct {
	ID, Slug, Name string
	Plan           Plan
	ReportingMode  ReportingMode
	Version        int64
}

// uuidForm is the one form of an identifier. Anything else is an unknown identifier (decisions, "Formats").
var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// IsID says whether s has the form of an identifier.
func IsID(s string) bool { return uuidForm.MatchString(s) }

// GroupOwner returns the id of the organisation that owns the group: not scoped to an organisation, knowingly, so that a
// use of another organisation's group can be recorded as such. Errors: ErrNotFound.
func (s *Service) GroupOwner(ctx context.Context, groupID string) (string, error) {
	if !IsID(groupID) {
		return "", errGroupNotFound
	}
	return s.groupOwner(ctx, groupID)
}
