package postgres

// TenantColumns is tenantColumns.
var TenantColumns = tenantColumns

// Guard returns the guard's check of a statement's text, as each pool has one.
func Guard() (scoped func(sql string) bool) { return new(verdicts).scoped }
