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

// Pages renders the pages of a wing, in the layout that all wings share.
type Pages struct {
	Base      string // the public URL, without a trailing slash
	Now       func() time.Time
	files     files
	templates *template.Template
}

//go:embed templates/*.html
var templateFiles embed.FS

// NewPages returns what the pages of all wings share, as they are reached at base.
func NewPages(base string, now func() time.Time) (*Pages, error) {
	all, err := loadFiles()
	if err != nil {
		return nil, err
	}
	p := &Pages{Base: base, Now: now, files: all}
	p.templates = template.New("").Option("missingkey=error").
		Funcs(template.FuncMap{"asset": all.path})
	_, err = p.templates.ParseFS(templateFiles, "templates/*.html")
	return p, err
}

// With returns the pages of a wing: its templates are the files in templates/.
func (p *Pages) With(wing fs.FS) (*Pages, error) {
	with := *p
	var err error
	if with.templates, err = p.templates.Clone(); err != nil {
		return nil, err
	}
	_, err = with.templates.ParseFS(wing, "templates/*.html")
	return &with, err
}

// Today is the UTC day.
func (p *Pages) Today() time.Time { return p.Now().UTC().Truncate(OneDay) }

// ScreenView is a pointer to a view.
type ScreenView interface{ setLocale(l Locale) }

func (l *Layout) setLocale(to Locale) { l.Locale = to }

// Render answers with the screen of the template name.html.
func (p *Pages) Render(c *fiber.Ctx, status int, name string, view ScreenView) error {
	page, err := p.Execute(c, name, view)
	if err != nil {
		return err
	}
	return httpserver.SendPage(c, status, page)
}

// Execute returns the screen of the template name.html in the reader's locale.
func (p *Pages) Execute(c *fiber.Ctx, name string, view ScreenView) ([]byte, error) {
	view.setLocale(LocaleOf(c))
	var page bytes.Buffer
	if screen, ok := view.(interface{ confirm(n Notice) }); ok {
		confirmChange(c, screen.confirm)
	}
	if err := p.templates.ExecuteTemplate(&page, name+".html", view); err != nil {
		return nil, fmt.Errorf("web: render %s: %w", name, err)
	}
	return page.Bytes(), nil
}
