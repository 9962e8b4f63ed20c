// Package embeddedpg runs the PostgreSQL that dg uses where no other is configured. It finds
// PostgreSQL's programs and never installs any: scripts/postgres.sh does.
//
// All processes that work on a data folder share one server. The first launches it, later ones
// join, and the last one to end, in whatever way, ends it.
//
//   - "Already running here" is a file lock, server.lock, which every process of the server
//     inherits. While it is free no process of a server or of initdb lives, so its holder may
//     remove what a crash has left, and launch.
//   - "Dies with its parent" is a named pipe, run/users. Each user of the server holds it open for
//     writing; the shell that launched the server reads it and shuts the server down at its end.
//     The system closes it for a killed process.
//
// Only the server's user reaches the socket, in a folder of mode 0700. There is no TCP port and no
// password. PostgreSQL refuses to run as root. For root it runs as the owner of the data, as
// postgres or as nobody, and the data moves below /var/lib/dg if that user cannot enter the folder
// asked for. The folder itself stays root's.
//
// It needs /bin/sh. Data moves to another major version of PostgreSQL by dump and restore only.
package embeddedpg
