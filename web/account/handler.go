package account

import (
	"embed"

	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the screens of the sign-in and of the account.
type Handler struct {
	*ui.Pages
	*ui.Guard
	Modules
}

// Modules are what the wing uses of other modules.
type Modules struct {
	SignIns  SignIns
	Sessions Sessions
	Resets   Resets
	Accounts Accounts
	TwoStep  TwoStep
}

// New returns the wing.
func New(pages *ui.Pages, guard *ui.Guard, m Modules) (*Handler, error) {
	pages, err := pages.With(templates)
	if err != nil {
		return nil, err
	}
	return &Handler{pages, guard, m}, nil
}
