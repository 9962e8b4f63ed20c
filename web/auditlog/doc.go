// Package auditlog is the audit log of an organisation: a page of entries with filters, and all of
// them as a file. Actions are the table of modules/audit/actions.go; a filter is a line of fields in
// filters.go and a condition in modules/audit/store_list.go.
package auditlog
