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

// Pages renders the screens of a package in the layout that all screens share.
type Pages struct {
	BaseURL   string // the public one, without a trailing slash
	Now       func() time.Time
	files     files
	templates *template.Template
}

//go:embed templates/*.html
var templateFiles embed.FS

// NewPages returns what all screens share. baseURL is their public URL.
func NewPages(baseURL string, now func() time.Time) *Pages {
	p := &Pages{BaseURL: baseURL, Now: now, files: loadFiles()}
	p.templates = template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"asset": p.files.path, "copyable": copyable, "count": Count, "percent": Percent,
		"day": Day, "date": Date, "minute": Minute, "second": Second, "brief": p.brief,
	})
	return p.With(templateFiles)
}

// With adds the templates of a package of screens, which are in templates/. A mistake in them
// panics.
func (p *Pages) With(own fs.FS) *Pages {
	with := *p
	with.templates = template.Must(p.templates.Clone())
	template.Must(with.templates.ParseFS(own, "templates/*.html"))
	return &with
}

// Today returns the UTC day.
func (p *Pages) Today() time.Time { return p.Now().UTC().Truncate(OneDay) }

// ScreenView is a pointer to a view that embeds Layout.
type ScreenView interface{ confirm(n Notice) }

// Render responds with the screen of the template name.html.
func (p *Pages) Render(c *fiber.Ctx, status int, name string, view ScreenView) error {
	page, err := p.Execute(c, name, view)
	if err != nil {
		return err
	}
	return httpserver.SendPage(c, status, page)
}

// Execute returns the screen of the template name.html.
func (p *Pages) Execute(c *fiber.Ctx, name string, view ScreenView) ([]byte, error) {
	showFlash(c, view.confirm)
	return p.Markup(name, view)
}

// Markup returns the screen of the template name.html without the notices of a request.
func (p *Pages) Markup(name string, view any) ([]byte, error) {
	var page bytes.Buffer
	if err := p.templates.ExecuteTemplate(&page, name+".html", view); err != nil {
		return nil, fmt.Errorf("web: render %s: %w", name, err)
	}
	return page.Bytes(), nil
}
