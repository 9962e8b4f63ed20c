// Package system tests the whole program as an operator, a customer and a browser see it: its
// commands, rights and secrets, outages of PostgreSQL, proxies before dg and poolers behind
// it, every screen, exports and the recipes of /docs. app/apptest starts the program. DG_SOAK=1
// makes the tests larger.
package system
