// Package assembly is the program put together: every module, its ways to the database, and the server with its routes in
// the order in which requests meet them (the API, whose guard refuses keys elsewhere, then health, then the screens).
//
// It is a package of its own so that tests of the surfaces run against what is served and not against a part of it.
package assembly
