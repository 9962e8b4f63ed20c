// Package assembly builds the program: the connection pools, the modules and the server.
//
// Routes are mounted in the order API, health, screens: the API's guard must see all requests,
// because it refuses keys elsewhere.
package assembly
