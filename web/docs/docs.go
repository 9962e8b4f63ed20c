package docs

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/exports"
	"dg/modules/reports"
	"dg/platform/limit"
	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the documentation of the API.
type Handler struct {
	ui.Base
	documentation documentation
	texts         func() ([]pageText, error) // texts of the pages, in the order of Pages
}

// New returns the handler. It panics if an embedded JSON file is invalid.
func New(b ui.Base) *Handler {
	h := &Handler{Base: b.With(templates), documentation: loadDocumentation()}
	h.texts = sync.OnceValues(h.pageTexts)
	return h
}

type page struct {
	Name, Path string // Path lacks the prefix /docs
	Template   string
	Heading    string // heading of the links from this page on, or ""
	Sections   []ui.Link
	Parent     string // path of the page that lists this one, or "" for a page of the guide
	Recipe     recipe
	Operation  operation

	Language        string // language of Notice
	Notice          privacyNotice
	NoticeLanguages []ui.Link
}

// limits has the numbers that the pages state, from the constants that enforce them.
var limits = map[string]int{
	"Requests":              apikeys.MaxRequests,
	"Window":                apikeys.RateWindow,
	"Days":                  reports.MaxPeriodDays,
	"Reports":               reports.MaxReportsOfOrganisation,
	"Exports":               exports.MaxConcurrent,
	"ExportsOfOrganisation": exports.MaxConcurrentOfOrganisation,
	"Wait":                  int(limit.Wait.Seconds()),
}

type docsView struct {
	ui.Layout
	page
	examples
	documentation
	Limits map[string]int
}

// Page handles GET /docs and all pages below it except the search.
func (h *Handler) Page(c *fiber.Ctx, p *ui.Principal) error {
	path := strings.TrimPrefix(c.Path(), "/docs")
	i := slices.IndexFunc(h.documentation.Pages, func(current page) bool { return current.Path == path })
	if i < 0 {
		return fiber.ErrNotFound
	}
	current := h.documentation.Pages[i]
	v := h.newView(p, current)
	v.examples = h.examplesFor(c.UserContext(), p)
	return h.Render(c, fiber.StatusOK, current.Template, v)
}

func (h *Handler) newView(p *ui.Principal, current page) *docsView {
	return &docsView{h.newLayout(p, current), current, h.placeholders(), h.documentation, limits}
}

func (h *Handler) newLayout(p *ui.Principal, current page) ui.Layout {
	l := ui.NewLayout(p, current.Name, ui.AreaDocs)
	l.Sidebar = &ui.Sidebar{Label: "Documentation", Links: current.Sections}
	for _, other := range h.documentation.Pages {
		link := ui.Link{Name: other.Name, Path: "/docs" + other.Path, Heading: other.Heading,
			Current: other.Path == current.Path}
		switch other.Parent {
		case "":
			link.Current = link.Current || current.Parent != "" && other.Path == current.Parent
			l.Sidebar.Pages = append(l.Sidebar.Pages, link)
		case current.Path, current.Parent:
			if other.Recipe.Kind == current.Recipe.Kind { // the sidebar has no room for all recipes
				l.Sidebar.Links = append(l.Sidebar.Links, link)
			}
		}
	}
	return l
}
