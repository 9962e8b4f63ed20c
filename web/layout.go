package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/platform/authz"
	"dg/platform/httpserver"
)

// layout is what stands around every screen. Each view has one in it.
type layout struct {
	Title   string // of the screen; the browser's adds the organisation
	Area    area
	Sidebar *sidebar // nil: none
	User    *principal
	Notices []notice
}

// area is the part of the site that the top bar marks.
type area string

const (
	areaNone     area = ""
	areaReports  area = "reports"
	areaSettings area = "settings"
	areaDocs     area = "docs"
)

// sidebar is the list of screens beside one of them.
type sidebar struct {
	Label  string
	Headed bool // whether the label is shown as well
	Links  []link
}

type link struct {
	Name, Path string
	Current    bool
}

// notice stands above a screen's heading: what must be known before acting. Its words are Name, which somebody typed, and
// Strong, then Before, the instant At where there is one, and After.
type notice struct {
	Kind                        string // "warn", "bad" or ""
	Done                        bool   // whether it says what has just been done
	Name, Strong, Before, After string
	At                          *time.Time
	Action, ActionPath          string // a link beside it, or ""
}

func (h *Handler) layout(p *principal, title string, a area) layout {
	return layout{Title: title, Area: a, User: p}
}

// settingsLayout is the layout of a settings screen: with the others beside it, and above it what all of them announce.
func (h *Handler) settingsLayout(c *fiber.Ctx, p *principal, title, screen string) (layout, error) {
	sh := h.layout(p, title, areaSettings)
	sh.Sidebar = &sidebar{Label: "Settings", Links: []link{
		{"Organisation", p.path("/settings/organisation"), screen == "organisation"},
		{"API keys", p.path("/settings/api-keys"), screen == "api-keys"},
		{"Audit log", p.path("/settings/audit-log"), screen == "audit-log"},
	}}
	var err error
	sh.Notices, err = h.settingsNotices(c, p)
	return sh, err
}

// accountLayout is the layout of a screen of the reader's own account.
func (h *Handler) accountLayout(p *principal, title, screen string) layout {
	sh := h.layout(p, title, areaNone)
	sh.Sidebar = &sidebar{Label: "Your account", Links: []link{
		{"Sign-in", "/account", screen == "account"},
		{"Two-step", "/account/two-step", screen == "two-step"},
	}}
	return sh
}

// Reports and Settings say whether the top bar offers these areas: never to somebody who can not enter them.
func (s layout) Reports() string  { return s.offer(authz.ReadReport, "/reports") }
func (s layout) Settings() string { return s.offer(authz.ReadOrganisation, settingsPath) }

// offer is the path of a screen, or "" where the reader may not see it. To somebody with several organisations it is the
// short path, which lets choose.
func (s layout) offer(permission authz.Permission, screen string) string {
	switch v := s.User; {
	case v == nil:
	case v.Organisation.ID == "" && v.manages:
		return screen
	case v.Organisation.ID != "" && v.may(permission):
		return v.path(screen)
	}
	return ""
}

// Home is where the mark leads.
func (s layout) Home() string {
	if r := s.Reports(); r != "" {
		return r
	}
	return "/"
}

// BrowserTitle names the screen and the organisation.
func (s layout) BrowserTitle() string {
	if s.User != nil && s.User.Organisation.Name != "" {
		return s.Title + " – " + s.User.Organisation.Name + " – DG"
	}
	return s.Title + " – DG"
}

//go:embed templates/*.html
var templateFiles embed.FS

// roleNames are the roles in words.
var roleNames = map[org.Role]string{org.RoleOwner: "Owner", org.RoleAdmin: "Admin", org.RoleMember: "Member"}

// loadTemplates reads all templates: a screen's is named after its file.
func (h *Handler) loadTemplates() (*template.Template, error) {
	t := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"asset":  h.files.path,
		"day":    func(t time.Time) template.HTML { return instant(t, "day", "2 Jan 2006") },
		"minute": func(t time.Time) template.HTML { return instant(t, "minute", "2 Jan 2006, 15:04 UTC") },
		"second": func(t time.Time) template.HTML { return instant(t, "second", "2 Jan 2006, 15:04:05 UTC") },
	})
	return t.ParseFS(templateFiles, "templates/*.html")
}

// instant is an instant in UTC, which the script turns into the reader's zone.
func instant(t time.Time, precision, layout string) template.HTML {
	t = t.UTC()
	return template.HTML(fmt.Sprintf(`<time datetime="%s" data-local="%s">%s</time>`, t.Format("2006-01-02T15:04:05.000Z"), precision, t.Format(layout)))
}

// show answers with a screen. The template is that of the file; the view is a pointer to a struct with a layout in it.
func (h *Handler) render(c *fiber.Ctx, status int, name string, view any) error {
	var page bytes.Buffer
	if err := h.templates.ExecuteTemplate(&page, name+".html", view); err != nil {
		return fmt.Errorf("web: show %s: %w", name, err)
	}
	return httpserver.SendPage(c, status, page.Bytes())
}
