package reports

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/reports"
	"dg/web/ui"
)

// Forks finds an organisation's forks.
type Forks interface {
	ui.ForkLister
	Fork(ctx context.Context, organisationID, id string) (games.Fork, error)
}

// Reports computes the figures of forks.
type Reports interface {
	Open(ctx context.Context, q reports.Query) (*reports.Report, error)
	Statistics(ctx context.Context, r *reports.Report) (reports.Statistics, error)
	LastPlay(ctx context.Context, organisationID, forkID string) (time.Time, bool, error)
	ShownGroups(ctx context.Context, q reports.Query) (ids []string, err error)
	Overview(ctx context.Context, q reports.Query) (reports.Overview, error)
}

// Exports sends plays as CSV.
type Exports interface {
	Send(c *fiber.Ctx, r exports.Request) error
}
