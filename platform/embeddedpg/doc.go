// Package embeddedpg runs a PostgreSQL server for dg if no database URL is set. It needs installed
// programs of PostgreSQL, which scripts/postgres.sh can install.
//
// All processes on a data folder share one server, which postmaster.pid names. The server outlives
// a killed dg and an interrupted start, and the next command joins it.
//
//   - A process locks the data folder while it starts, joins or stops the server. The programs that
//     create a cluster inherit that lock.
//   - Every process of the server inherits the lock on the cluster's file PG_VERSION. While that
//     lock is free, no process of the server runs. The file must not be removed.
//   - Every dg that uses the server holds a shared lock on the cluster. When dg ends, it tries to
//     lock the cluster exclusively. If that succeeds, it is the last user and stops the server.
//
// Only the server's user, and root, reach the socket. There is no TCP port and no password.
// PostgreSQL refuses to run as root: for root it runs as the owner of the data, as postgres or as
// nobody.
package embeddedpg
