package organisation

import (
	"slices"
	"strings"
	"unicode"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/text/unicode/norm"

	"dg/modules/apikeys"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/web/ui"
)

type reportingModeView struct {
	ui.Layout
	ui.FormErrors
	Path, Back string
	Nominative bool
	Keys       []string // names of the keys that can read reports now
	Typed      string   // the typed name of the organisation
}

// ReportingModeForm handles GET /settings/organisation/reporting-mode.
func (h *Handler) ReportingModeForm(c *fiber.Ctx, p *ui.Principal) error {
	f, _, err := h.Reauthenticate(c, p, ui.FormErrors{})
	if err != nil {
		return err
	}
	return h.renderReportingMode(c, p, fiber.StatusOK, p.Organisation.ReportingMode, f)
}

func (h *Handler) renderReportingMode(
	c *fiber.Ctx, p *ui.Principal, status int, chosen org.ReportingMode, f ui.FormErrors,
) error {
	view := reportingModeView{
		Layout:     ui.Layout{Title: "Change reporting mode"},
		FormErrors: f,
		Path:       p.Path("/settings/organisation/reporting-mode"),
		Back:       p.Path("/settings/organisation"),
		Nominative: chosen == org.Nominative,
		Typed:      strings.ToValidUTF8(ui.FormValue(c, "organisation"), "\uFFFD"),
	}
	keys, err := h.Keys.List(c.UserContext(), p.KeyActor())
	if err != nil {
		return err
	}
	for _, k := range keys {
		if k.State(h.Now(), p.Organisation.Plan) == apikeys.StateUsable &&
			slices.Contains(k.Scopes, apikeys.ReportsRead) {
			view.Keys = append(view.Keys, k.Name)
		}
	}
	return h.RenderSettings(c, p, status, "reporting-mode", &view)
}

// ChangeReportingMode handles POST /settings/organisation/reporting-mode. Changing to nominative
// needs the typed name of the organisation: reports, exports and the API then show players' names.
func (h *Handler) ChangeReportingMode(c *fiber.Ctx, p *ui.Principal) error {
	actor := org.Actor{Person: p.AuditActor(), Subject: p.Subject()}
	before := p.Organisation.ReportingMode
	mode := org.ReportingMode(ui.FormValue(c, "mode"))
	var f ui.FormErrors
	if mode == org.Nominative && before != mode &&
		!sameName(ui.FormValue(c, "organisation"), p.Organisation.Name) {
		f = ui.FieldError("organisation",
			"To show names, type the name of the organisation: \u2068"+p.Organisation.Name+"\u2069")
	}
	f, status, err := h.Reauthenticate(c, p, f)
	if err != nil {
		return err
	}
	if status != 0 {
		return h.renderReportingMode(c, p, status, mode, f)
	}
	err = h.Orgs.SetReportingMode(c.UserContext(), actor, before, mode,
		apikeys.AuditRequest(c, c.Path()))
	if apperr.Is(err, apperr.Validation) {
		return h.renderReportingMode(c, p, fiber.StatusBadRequest, before,
			ui.FieldError("mode", apperr.From(err).Message))
	}
	if err != nil {
		return err
	}
	ui.Flash(c, modeNotice(before, mode))
	return c.Redirect(p.Path("/settings/organisation"), fiber.StatusSeeOther)
}

// sameName compares in NFC and ignores case, extra spaces and characters that are not graphic.
func sameName(typed, name string) bool {
	normalise := func(s string) string {
		s = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || unicode.IsGraphic(r) {
				return r
			}
			return -1
		}, norm.NFC.String(s))
		return strings.Join(strings.Fields(s), " ")
	}
	return strings.EqualFold(normalise(typed), normalise(name))
}

func modeNotice(before, after org.ReportingMode) ui.Notice {
	if before == after { // the form was submitted twice, or with the current mode
		return ui.Notice{Strong: "The reporting mode is " + string(after) + "."}
	}
	adverb := map[org.ReportingMode]string{org.Nominative: "now", org.Pseudonymous: "no longer"}[after]
	return ui.Notice{Strong: "Reporting mode changed.",
		Before: " Reports, exports and the API " + adverb + " show names."}
}
