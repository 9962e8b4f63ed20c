package postgres

// TenantColumns is tenantColumns.
var TenantColumns = tenantColumns
