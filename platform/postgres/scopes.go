package postgres

import (
	"gorm.io/gorm"

	"dg/platform/postgres/tenant"
)

// ErrNoTenant is tenant.ErrMissing.
var ErrNoTenant = tenant.ErrMissing

// Tenant is tenant.Scope: the statement reads and changes rows of this organisation only.
func Tenant(organisationID string) func(*gorm.DB) *gorm.DB { return tenant.Scope(organisationID) }

// AcrossTenants is tenant.Across: the statement is deliberately not scoped to an organisation.
func AcrossTenants(reason string) func(*gorm.DB) *gorm.DB { return tenant.Across(reason) }

// Raw is tenant.Raw: a text on one organisation, its parameter @org.
func Raw(db *gorm.DB, organisationID, text string, args ...any) *gorm.DB {
	return tenant.Raw(db, organisationID, text, args...)
}

// Exec is tenant.Exec: Raw for a text that returns no rows.
func Exec(db *gorm.DB, organisationID, text string, args ...any) *gorm.DB {
	return tenant.Exec(db, organisationID, text, args...)
}
