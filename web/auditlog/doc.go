// Package auditlog is the audit log of an organisation: a page of entries with filters, and all of
// them as a file.
package auditlog
