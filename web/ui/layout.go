package ui

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"dg/platform/authz"
)

// Layout is what surrounds every screen: its title, the top bar, the sidebar and notices. Each
// view embeds one.
type Layout struct {
	Title   string     // of the screen; the browser's title adds the organisation
	Area    string     // that the top bar marks: a constant below
	Sidebar *Sidebar   // nil: none
	User    *Principal // nil: nobody is signed in
	Notices []Notice
}

// The areas of the site.
const (
	AreaNone     = ""
	AreaReports  = "reports"
	areaSettings = "settings"
	AreaDocs     = "docs"
)

// Sidebar links to the other screens of the current area.
type Sidebar struct {
	Label string
	Pages []Link // of the level above, if there is one: the links are those of its current page
	Links []Link
	Query string // the search for pages
}

// Link is a link to a screen.
type Link struct {
	Name, Path string
	Current    bool
}

// Download are the paths of a file in its two formats.
type Download struct {
	CSV, Excel string
	Primary    bool // whether it is the screen's first action
}

// copyable returns the data of a text with a copy button. id is the id of the text's element.
func copyable(id, text, name string) map[string]string {
	return map[string]string{"ID": id, "Text": text, "Name": name}
}

// NewLayout returns the layout of a screen of the area.
func NewLayout(p *Principal, title, area string) Layout {
	return Layout{Title: title, Area: area, User: p}
}

// Reports returns the path of this area, or "" if the user may not open it.
func (l Layout) Reports() string { return l.pathIfAllowed(authz.ReadReport, "/reports") }

// Settings returns the path of this area, or "" if the user may not open it.
func (l Layout) Settings() string { return l.pathIfAllowed(authz.ReadOrganisation, SettingsPath) }

// Switch returns the organisations of a reader of several, each with its first screen.
func (l Layout) Switch() (all []Link) {
	if l.User == nil {
		return nil
	}
	for _, m := range l.User.all {
		all = append(all, Link{
			Name:    m.Organisation.Name,
			Path:    FirstScreen(m, "/reports"),
			Current: m.Organisation.ID == l.User.Organisation.ID,
		})
	}
	return all
}

// pathIfAllowed returns the path of a screen, or "" if the user may not open it. A user of several
// organisations gets the path without an organisation, where one is chosen.
func (l Layout) pathIfAllowed(permission authz.Permission, screen string) string {
	switch p := l.User; {
	case p == nil:
	case p.Organisation.ID == "" && p.manages:
		return screen
	case p.Organisation.ID != "" && p.May(permission):
		return p.Path(screen)
	}
	return ""
}

// Home returns the target of the logo: the first screen that the reader may open.
func (l Layout) Home() Link {
	switch reports := l.Reports(); {
	case reports != "":
		return Link{Name: "Open reports", Path: reports}
	case l.User != nil && l.User.Organisation.ID != "":
		return Link{Name: "Open your account", Path: "/account"}
	}
	return Link{Name: "Choose organisation", Path: "/"}
}

// BrowserTitle names the screen and the organisation.
func (l Layout) BrowserTitle() string {
	if l.User != nil && l.User.Organisation.Name != "" {
		return fmt.Sprintf("%s – %s – DG", l.Title, l.User.Organisation.Name)
	}
	return fmt.Sprintf("%s – DG", l.Title)
}

// TitleOf returns the title of a form, marked if it came back with errors.
func TitleOf(title string, status int) string {
	if status == fiber.StatusOK {
		return title
	}
	return fmt.Sprintf("Error: %s", title)
}

// SettingsNotices are the notices above every settings screen.
type SettingsNotices func(c *fiber.Ctx, p *Principal) ([]Notice, error)

// Layout returns the layout of a settings screen.
func (notices SettingsNotices) Layout(
	c *fiber.Ctx, p *Principal, title, screen string,
) (Layout, error) {
	l := NewLayout(p, title, areaSettings)
	l.Sidebar = &Sidebar{Label: "Settings", Links: []Link{
		{"Organisation", p.Path("/settings/organisation"), screen == "organisation"},
		{"API keys", p.Path("/settings/api-keys"), screen == "api-keys"},
		{"Audit log", p.Path("/settings/audit-log"), screen == "audit-log"},
	}}
	var err error
	l.Notices, err = notices(c, p)
	return l, err
}
