// Package apptest is the test kit of the whole program, for app/system, app/chaos, app/assembly and other tests.
//
//   - Programs: RunCommand runs dg in this process. Launch, Serve…, RequireSuccess and RequireRefusal start the
//     binary as a Child; LocalServer is the assembled program on a testkit.World. NewFolder names data folders.
//   - PostgreSQL: OpenAdminDB… return a testkit.World as superuser; ExternalServer is a server that can restart.
//   - Clients: Get sends a request, and SignIn returns a testkit.Browser. StartProxy starts nginx or haproxy.
package apptest
