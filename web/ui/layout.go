package ui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/authz"
)

// Layout has the parts of a page around the content of its screen. Each view embeds one.
type Layout struct {
	Title     string     // title of the screen; the browser's title also names the organisation
	Area      string     // the area that the top bar marks as current
	Sidebar   *Sidebar   // nil if the page has none
	User      *Principal // nil if the page is shown as signed out
	Notices   []Notice
	HasCookie bool // whether an error page's request has the session cookie, so that it offers no sign-in
}

// The top bar marks the area that Layout.Area names. AreaNone marks none.
const (
	AreaNone     = ""
	AreaReports  = "reports"
	areaSettings = "settings"
	AreaDocs     = "docs"
	AreaAccount  = "account"
)

// Sidebar links to the screens of the current area. The documentation has two levels: Pages, and
// Links below the current one. The settings have Links only.
type Sidebar struct {
	Label string
	Pages []Link
	Links []Link
	Query string // text of the documentation's search field
}

// Link is a link to a screen, or to a section of one.
type Link struct {
	Name, Path string
	Current    bool   // whether it leads to the current screen or section
	Heading    string // heading above the link, or ""
	Count      string // number of items that the link lists, on all pages, or ""
}

// Download has the paths of the files that a screen offers.
type Download struct {
	CSV, Excel string // paths of one file: with commas, and for Excel
	LastWeek   string // path of the file of the last whole week, or ""
}

// copyable returns the values for the template copyable.html: a text with a copy button.
func copyable(id, text, name string) map[string]string {
	return map[string]string{"ID": id, "Text": text, "Name": name}
}

// NewLayout returns a layout without sidebar and notices. p may be nil.
func NewLayout(p *Principal, title, area string) Layout {
	return Layout{Title: title, Area: area, User: p}
}

// Reports returns the path of the list of reports, or "" if the user may not open it.
func (l Layout) Reports() string { return l.pathIfAllowed(reports.ReadReport, "/reports") }

// Settings returns the path of the first settings screen, or "" if the user may not open it.
func (l Layout) Settings() string { return l.pathIfAllowed(org.ReadOrganisation, SettingsPath) }

// OrganisationMenu links to the user's organisations. It is nil if there are fewer than two.
func (l Layout) OrganisationMenu() (links []Link) {
	if l.User == nil || len(l.User.Memberships) == 1 {
		return nil
	}
	for _, m := range l.User.Memberships {
		links = append(links, Link{
			Name:    m.Organisation.Name,
			Path:    FirstScreenPath(m, "/reports"),
			Current: m.Organisation.ID == l.User.Organisation.ID,
		})
	}
	return links
}

// pathIfAllowed returns the path of screen, or "" if the user may not open it. If no organisation is
// chosen, it returns screen to an owner or admin of any.
func (l Layout) pathIfAllowed(permission authz.Permission, screen string) string {
	manages := func(m org.Membership) bool { return m.Role != org.RoleMember }
	switch p := l.User; {
	case p == nil:
	case p.Organisation.ID == "" && slices.ContainsFunc(p.Memberships, manages):
		return screen
	case p.Organisation.ID != "" && p.May(permission):
		return p.Path(screen)
	}
	return ""
}

// Home returns the link of the logo and of error pages. The path "/" leads to the sign-in, or to a
// choice of organisation.
func (l Layout) Home() Link {
	switch path := l.Reports(); {
	case l.User == nil || path != "":
		return Link{Name: "Open reports", Path: cmp.Or(path, "/")}
	case l.User.Organisation.ID != "":
		return Link{Name: "Open your account", Path: "/account"}
	}
	return Link{Name: "Choose organisation", Path: "/"}
}

// TitleOf adds "Error:" unless status is 200, because screen readers announce the title first.
func TitleOf(title string, status int) string {
	if status == fiber.StatusOK {
		return title
	}
	return "Error: " + title
}

// SettingsLayout returns a layout whose sidebar marks the link of the requested screen.
func SettingsLayout(c *fiber.Ctx, p *Principal, title string) Layout {
	l := NewLayout(p, title, areaSettings)
	l.Sidebar = &Sidebar{Label: "Settings"}
	for _, link := range []Link{
		{Name: "Organisation", Path: "/settings/organisation"},
		{Name: "API keys", Path: SettingsPath},
		{Name: "Audit log", Path: "/settings/audit-log"},
	} {
		link.Current = strings.HasPrefix(c.Route().Path, "/o/:org"+link.Path)
		link.Path = p.Path(link.Path)
		l.Sidebar.Links = append(l.Sidebar.Links, link)
	}
	return l
}

// RenderSettings is Render for a screen of the settings. It needs the title in the view's layout,
// and adds the rest of the layout.
func (b Base) RenderSettings(
	c *fiber.Ctx, p *Principal, status int, name string, view ScreenView,
) error {
	notices, err := b.expiryNotices(c, p)
	if err != nil {
		return err
	}
	l := view.layout()
	notices = append(notices, l.Notices...)
	*l = SettingsLayout(c, p, TitleOf(l.Title, status))
	l.Notices = notices
	return b.Render(c, status, name, view)
}
