package ui

import "github.com/gofiber/fiber/v2"

// SettingsNotices are the notices above every settings screen.
type SettingsNotices func(c *fiber.Ctx, p *Principal) ([]Notice, error)

// Layout is the layout of a settings screen.
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
