package auditlog

import (
	"context"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/org"
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

// KeyList lists the keys that entries name.
type KeyList interface {
	List(ctx context.Context, actor apikeys.Actor) ([]apikeys.Key, error)
}

// GroupNames lists the groups that entries name.
type GroupNames interface {
	Groups(ctx context.Context, organisationID, chosen string) ([]org.Group, error)
}
