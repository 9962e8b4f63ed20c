package docs

import (
	"context"

	"dg/modules/org"
)

// Groups lists an organisation's groups.
type Groups interface {
	Groups(ctx context.Context, organisationID, chosen string) ([]org.Group, error)
}
