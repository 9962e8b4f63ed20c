// Package embeddedpg runs the PostgreSQL that dg uses without a configured database. It finds
// installed programs; scripts/postgres.sh installs them.
//
// All processes on a data folder share one server, which postmaster.pid names. It outlives a killed
// dg, and the next command uses it.
//
//   - Who starts, joins or stops the server locks the data folder. initdb inherits that lock.
//   - Every process of the server inherits the lock on postgres.log. While it is free none runs.
//   - Every user holds a shared lock of the cluster. One that ends stops the server if it gets the
//     exclusive lock, because it is the last.
//
// Only the server's user reaches the socket. There is no TCP port and no password. PostgreSQL
// refuses to run as root: root's runs as the owner of the data, as postgres or as nobody.
package embeddedpg
