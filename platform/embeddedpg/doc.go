// Package embeddedpg runs the PostgreSQL that dg uses without a configured database. It finds
// installed programs and installs none: scripts/postgres.sh does.
//
// All processes on a data folder share one server. The first launches it, later ones join, and the
// end of the last one ends it, also if it is killed.
//
//   - The file lock server.lock means that a server runs. Every process of the server inherits it.
//     While it is free, neither a server nor initdb runs, so its holder may remove stale files and
//     launch.
//   - The named pipe run/users ends the server. Each user holds it open for writing, and the shell
//     that launched the server reads it. The system closes it for a killed process.
//
// Only the server's user reaches the socket, in a folder of mode 0700. There is no TCP port and no
// password. PostgreSQL refuses to run as root: for root it runs as the owner of the data, as
// postgres or as nobody. The data moves below /var/lib/dg if that user cannot enter the folder,
// which stays root's.
//
// It needs /bin/sh. Data moves to another major version of PostgreSQL by dump and restore only.
package embeddedpg
