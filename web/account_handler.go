package web

import (
	"dg/web/ui"
)

// accountHandler serves the screens of the sign-in and of the account.
type accountHandler struct {
	*ui.Pages
	*ui.Guard
	AccountModules
}

// AccountModules are what the wing uses of other modules.
type AccountModules struct {
	SignIns  SignIns
	Resets   Resets
	Accounts Accounts
	TwoStep  TwoStep
}

// newAccount returns the wing.
func newAccount(pages *ui.Pages, guard *ui.Guard, m AccountModules) (*accountHandler, error) {
	return &accountHandler{pages, guard, m}, nil
}
