// Package assembly builds the program: the connection pools, every module, and the server with its
// routes in the order in which requests meet them (the API, whose guard refuses keys elsewhere,
// then health, then the screens).
//
// Tests of API and screens use it, so that they run what is served.
package assembly
