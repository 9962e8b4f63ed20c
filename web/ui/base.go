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

// Services are the module services that screens call.
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

// Base is embedded in the handler of each screen package.
type Base struct {
	*Pages
	Services
}

// With returns a copy whose Pages also have the package's own templates.
func (b Base) With(own fs.FS) Base { return Base{b.Pages.With(own), b.Services} }
