package org

import (
	"regexp"

	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/postgres"
)

// Service reads organisations and changes their reporting mode.
type Service struct {
	db     *postgres.DB
	log    *audit.Log
	policy *authz.Policy
}

// New returns the service over db.
func New(db *postgres.DB, log *audit.Log, policy *authz.Policy) *Service {
	return &Service{db: db, log: log, policy: policy}
}

// uuidForm is the only form of an identifier: any other text is an unknown one.
var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// IsID reports whether s has the form of an identifier.
func IsID(s string) bool { return uuidForm.MatchString(s) }
