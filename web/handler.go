package web

import (
	"embed"
	"net/mail"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/platform/limit"
	"dg/web/account"
	"dg/web/auditlog"
	"dg/web/docs"
	"dg/web/keys"
	"dg/web/organisation"
	"dg/web/reports"
	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Dependencies are the services and settings of the screens.
type Dependencies struct {
	ui.Services
	Requests *limit.Requests // shared with the API
	Operator mail.Address    // named on error pages, unless it is zero
}

// Handler serves all screens and the error pages.
type Handler struct {
	ui.Base
	account      *account.Handler
	auditlog     *auditlog.Handler
	keys         *keys.Handler
	organisation *organisation.Handler
	reports      *reports.Handler
	docs         *docs.Handler
	requests     *limit.Requests
	operator     mail.Address
}

// Limiters returns the limiters of the screens, keyed by their names in metrics.
func (h *Handler) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"audit_log_downloads": h.auditlog.Downloads}
}

// New returns the handler of the screens. baseURL is their public URL, without a trailing slash.
func New(d Dependencies, baseURL string, now func() time.Time) *Handler {
	base := ui.Base{Pages: ui.NewPages(baseURL, now), Services: d.Services}
	return &Handler{
		Base:         base.With(templates),
		account:      account.New(base),
		auditlog:     auditlog.New(base),
		keys:         keys.New(base),
		organisation: organisation.New(base),
		reports:      reports.New(base),
		docs:         docs.New(base),
		requests:     d.Requests,
		operator:     d.Operator,
	}
}

type organisationsView struct {
	ui.Layout
	Choices []organisationChoice
}

type organisationChoice struct{ Name, Role, Path string }

func (h *Handler) chooseOrganisation(screen string) handler {
	return func(c *fiber.Ctx, p *ui.Principal) error {
		view := organisationsView{Layout: ui.NewLayout(p, "Your organisations", ui.AreaNone)}
		for _, m := range p.Memberships {
			view.Choices = append(view.Choices,
				organisationChoice{m.Organisation.Name, ui.Capitalise(m.Role), ui.FirstScreenPath(m, screen)})
		}
		if len(view.Choices) == 1 {
			return c.Redirect(view.Choices[0].Path, fiber.StatusSeeOther)
		}
		return h.Render(c, fiber.StatusOK, "organisations", &view)
	}
}
