package web

// accountHandler serves the screens of the sign-in and of the account.
type accountHandler struct {
	*Pages
	*Guard
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
func newAccount(pages *Pages, guard *Guard, m AccountModules) (*accountHandler, error) {
	return &accountHandler{pages, guard, m}, nil
}
