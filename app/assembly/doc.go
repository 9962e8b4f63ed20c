// Package assembly builds the program: the connection pools, the modules and the server.
//
// Routes are mounted in the order API, health, screens. The API must see every request, because it
// refuses API keys on all paths outside it.
package assembly
