package ui

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/platform/httpserver"
)

// Pages renders the screens of a package with its templates and those of package ui.
type Pages struct {
	BaseURL   string // public URL, without a trailing slash
	Now       func() time.Time
	files     files
	templates *template.Template
}

//go:embed templates/*.html
var templateFiles embed.FS

// NewPages returns Pages with the templates of this package alone.
func NewPages(baseURL string, now func() time.Time) *Pages {
	p := &Pages{BaseURL: baseURL, Now: now, files: loadFiles()}
	p.templates = template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"asset": p.files.path, "copyable": copyable, "count": Count, "percent": Percent,
		"day": Day, "brief": p.briefInstant, "short": p.shortDates,
		"clock":  func(t time.Time) string { return t.UTC().Format("15:04") },
		"date":   timeElement("day", layoutDay),
		"minute": timeElement("minute", "2 Jan 2006, 15:04 MST"),
		"second": timeElement("second", "2 Jan 2006, 15:04:05 MST"),
	})
	return p.With(templateFiles)
}

// With returns a copy that also has the templates of own. It panics if a template is invalid.
func (p *Pages) With(own fs.FS) *Pages {
	extended := *p
	extended.templates = template.Must(p.templates.Clone())
	template.Must(extended.templates.ParseFS(own, "templates/*.html"))
	return &extended
}

// Today returns the first instant of the current UTC day.
func (p *Pages) Today() time.Time { return p.Now().UTC().Truncate(OneDay) }

// ScreenView is implemented by pointers to views that embed Layout.
type ScreenView interface{ layout() *Layout }

func (l *Layout) layout() *Layout { return l }

// Render responds with the screen of the template name.html, or returns an error of Execute.
func (p *Pages) Render(c *fiber.Ctx, status int, name string, view ScreenView) error {
	page, err := p.Execute(c, name, view)
	if err != nil {
		return err
	}
	return httpserver.SendPage(c, status, page)
}

// Execute renders the screen. On GET it shows and clears the notice that Flash stored.
func (p *Pages) Execute(c *fiber.Ctx, name string, view ScreenView) ([]byte, error) {
	showFlash(c, view.layout())
	return p.Markup(name, view)
}

// Markup renders a view without a request, as the documentation's search needs.
func (p *Pages) Markup(name string, view any) ([]byte, error) {
	var page bytes.Buffer
	if err := p.templates.ExecuteTemplate(&page, name+".html", view); err != nil {
		return nil, fmt.Errorf("web: render %s: %w", name, err)
	}
	return page.Bytes(), nil
}
