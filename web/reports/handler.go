package reports

import (
	"context"
	"embed"

	"github.com/gofiber/fiber/v2"

	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/reports"
	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the reports of an organisation.
type Handler struct {
	*ui.Pages
	*ui.Guard
	Modules
}

// Modules are the services that these screens call.
type Modules struct {
	Forks   Forks
	Groups  ui.GroupLister
	Reports Reports
	Exports Exports
}

// New returns the handler of these screens.
func New(pages *ui.Pages, guard *ui.Guard, m Modules) *Handler {
	return &Handler{pages.With(templates), guard, m}
}

// Forks finds an organisation's forks.
type Forks interface {
	ui.ForkLister
	Fork(ctx context.Context, organisationID, id string) (games.Fork, error)
}

// Reports computes the figures of forks.
type Reports interface {
	Open(ctx context.Context, q reports.Query) (*reports.Report, error)
	Statistics(ctx context.Context, r *reports.Report) (reports.Statistics, error)
	ShownGroups(ctx context.Context, q reports.Query) (ids []string, err error)
	Overview(ctx context.Context, q reports.Query) (reports.Overview, error)
}

// Exports sends plays as CSV.
type Exports interface {
	Send(c *fiber.Ctx, r exports.Request) error
}
