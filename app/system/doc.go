// Package system tests the whole program as an operator, a customer and a browser meet it: its
// commands, an update and the way back, PostgreSQL that goes away, proxies and poolers before and
// behind it, every screen, exports and the recipes of /docs. app/apptest
// starts the program. Sizes grow with DG_SOAK=1.
package system
