// Package assembly builds the program: the connection pools, every module, and the server with its
// routes in the order in which requests meet them (the API, whose guard refuses keys elsewhere,
// then health, then the screens).
//
// It is a package of its own so that the surfaces are tested as they are served.
package assembly
