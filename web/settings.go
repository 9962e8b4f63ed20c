package web

import "github.com/gofiber/fiber/v2"

// SettingsNotices are the notices above every settings screen.
type SettingsNotices func(c *fiber.Ctx, p *principal) ([]notice, error)

// Layout is the layout of a settings screen.
func (notices SettingsNotices) Layout(c *fiber.Ctx, p *principal, title, screen string) (layout, error) {
	l := newLayout(p, title, areaSettings)
	l.Sidebar = &sidebar{Label: "Settings", Links: []link{
		{"Organisation", p.path("/settings/organisation"), screen == "organisation"},
		{"API keys", p.path("/settings/api-keys"), screen == "api-keys"},
		{"Audit log", p.path("/settings/audit-log"), screen == "audit-log"},
	}}
	var err error
	l.Notices, err = notices(c, p)
	return l, err
}
