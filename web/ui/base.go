package ui

import (
	"io/fs"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/authz"
)

// Services are those that the screens call.
type Services struct {
	Identity *identity.Service
	Orgs     *org.Service
	Games    *games.Service
	Keys     *apikeys.Service
	Log      *audit.Log
	Reports  *reports.Service
	Exports  *exports.Service
	Policy   *authz.Policy
}

// Base is what the handler of each package of screens embeds.
type Base struct {
	*Pages
	Services
}

// With returns a copy whose Pages also have the templates of own.
func (b Base) With(own fs.FS) Base { return Base{b.Pages.With(own), b.Services} }
