// Package auditlog serves an organisation's audit log: pages of entries with filters, and all
// matching entries as a CSV file. Each filter has an element in newFilterFields, and a condition
// in modules/audit/store_list.go.
package auditlog
