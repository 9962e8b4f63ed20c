package auditlog

import (
	"context"

	"dg/modules/audit"
)

// AuditLog reads an organisation's log, and records its downloads.
type AuditLog interface {
	List(ctx context.Context, organisationID string, p audit.Page) ([]audit.Entry, error)
	People(ctx context.Context, organisationID string) ([]audit.Actor, error)
	Counterparts(
		ctx context.Context, organisationID string, entries []audit.Entry,
	) (map[int64]audit.Entry, error)
	Append(ctx context.Context, e audit.Entry) error
}
