package account

import (
	"embed"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the sign-in, reset links, and the account of the signed-in person.
type Handler struct{ ui.Base }

// New returns the handler, which also renders the templates of this package.
func New(b ui.Base) *Handler { return &Handler{b.With(templates)} }

type accountView struct {
	ui.Layout
	CodesLeft int // number of unused recovery codes
}

func accountLayout(p *ui.Principal, title string) ui.Layout {
	return ui.NewLayout(p, title, ui.AreaAccount)
}

const otherSessionsEnded = " Your other sessions have ended."

// Account handles GET /account.
func (h *Handler) Account(c *fiber.Ctx, p *ui.Principal) error {
	view := accountView{Layout: accountLayout(p, "Account")}
	if p.IsMember() { // members are redirected here from "/" and "/reports"
		view.Notices = append(view.Notices, ui.Notice{
			Strong: "Only owners and admins can open reports and settings.",
			Before: " The operator of DG can change your role.",
		})
	}
	var err error
	if view.CodesLeft, err = h.Identity.RecoveryCodesLeft(c.UserContext(), p.Token); err != nil {
		return err
	}
	return h.Render(c, fiber.StatusOK, "account", &view)
}

// SignOutEverywhere handles POST /account.
func (h *Handler) SignOutEverywhere(c *fiber.Ctx, p *ui.Principal) error {
	if err := h.Identity.SignOutEverywhere(c.UserContext(), p.Token); err != nil {
		return err
	}
	return respondSignedOut(c)
}

// redirectToAccount sets the cookie of the new session: the change has ended the old one.
func redirectToAccount(c *fiber.Ctx, session identity.Session, notice ui.Notice) error {
	ui.Flash(c, notice)
	ui.SetSession(c, session)
	return c.Redirect("/account", fiber.StatusSeeOther)
}
