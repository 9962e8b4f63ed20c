// Package apptest is the test kit of the whole program, for app/system, app/chaos, app/assembly and others' tests.
//
//   - Programs: RunCommand runs dg in this process. Launch, Serve…, Succeeds and Refuses start the binary as a Child;
//     World is the assembled program on a testkit.World. NewFolder makes data folders.
//   - PostgreSQL: OpenAdminDB and AdminDBAt return a testkit.World as superuser; External is a server that can restart.
//   - Clients: Ask and SignedIn, a testkit.Browser; StartProxy starts nginx or haproxy.
package apptest
