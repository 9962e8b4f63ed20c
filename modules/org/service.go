package org

import (
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
