// Package system tests the whole program as an operator, a customer and a browser see it. It covers
// commands, rights, secrets, outages of PostgreSQL, proxies in front of dg, poolers behind dg,
// every screen, exports and the recipes of /docs. app/apptest starts the program. DG_SOAK=1
// makes the tests larger.
package system
