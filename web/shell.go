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

// shell is what stands around every screen. Each view has one in it.
type shell struct {
	Title   string // of the screen; the browser's adds the organisation
	Area    area
	Rail    *rail // nil: none
	Visit   *visit
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

// rail is the list of screens beside one of them.
type rail struct {
	Label  string
	Headed bool // whether the label is shown as well
	Links  []railLink
}

type railLink struct {
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

func (s *Site) shell(v *visit, title string, a area) shell {
	return shell{Title: title, Area: a, Visit: v}
}

// settingsShell is the shell of a settings screen: with the others beside it, and above it what all of them announce.
func (s *Site) settingsShell(c *fiber.Ctx, v *visit, title, screen string) (shell, error) {
	sh := s.shell(v, title, areaSettings)
	sh.Rail = &rail{Label: "Settings", Links: []railLink{
		{"Organisation", v.path("/settings/organisation"), screen == "organisation"},
		{"API keys", v.path("/settings/api-keys"), screen == "api-keys"},
		{"Audit log", v.path("/settings/audit-log"), screen == "audit-log"},
	}}
	var err error
	sh.Notices, err = s.settingsNotices(c, v)
	return sh, err
}

// accountShell is the shell of a screen of the reader's own account.
func (s *Site) accountShell(v *visit, title, screen string) shell {
	sh := s.shell(v, title, areaNone)
	sh.Rail = &rail{Label: "Your account", Links: []railLink{
		{"Sign-in", "/account", screen == "account"},
		{"Two-step", "/account/two-step", screen == "two-step"},
	}}
	return sh
}

// Reports and Settings say whether the top bar offers these areas: never to somebody who can not enter them.
func (s shell) Reports() string  { return s.offer(authz.ReadReport, "/reports") }
func (s shell) Settings() string { return s.offer(authz.ReadOrganisation, settingsPath) }

// offer is the path of a screen, or "" where the reader may not see it. To somebody with several organisations it is the
// short path, which lets choose.
func (s shell) offer(deed authz.Permission, screen string) string {
	switch v := s.Visit; {
	case v == nil:
	case v.Organisation.ID == "" && v.manages:
		return screen
	case v.Organisation.ID != "" && v.may(deed):
		return v.path(screen)
	}
	return ""
}

// Home is where the mark leads.
func (s shell) Home() string {
	if r := s.Reports(); r != "" {
		return r
	}
	return "/"
}

// BrowserTitle names the screen and the organisation.
func (s shell) BrowserTitle() string {
	if s.Visit != nil && s.Visit.Organisation.Name != "" {
		return s.Title + " – " + s.Visit.Organisation.Name + " – DG"
	}
	return s.Title + " – DG"
}

//go:embed templates/*.html
var templateFiles embed.FS

// roleNames are the roles in words.
var roleNames = map[org.Role]string{org.RoleOwner: "Owner", org.RoleAdmin: "Admin", org.RoleMember: "Member"}

// loadTemplates reads all templates: a screen's is named after its file.
func (s *Site) loadTemplates() (*template.Template, error) {
	t := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"asset":  s.files.path,
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

// show answers with a screen. The template is that of the file; the view is a pointer to a struct with a shell in it.
func (s *Site) show(c *fiber.Ctx, status int, name string, view any) error {
	var page bytes.Buffer
	if err := s.templates.ExecuteTemplate(&page, name+".html", view); err != nil {
		return fmt.Errorf("web: show %s: %w", name, err)
	}
	return httpserver.SendPage(c, status, page.Bytes())
}
