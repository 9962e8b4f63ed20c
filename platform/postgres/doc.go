// Package postgres is how dg comes to its database: the pools, the migrations, and the embedded server, which runs
// where no other is configured. It knows no table.
//
// # Sessions
//
// What a session needs (UTC, the bounds of decisions.md, isolation) is sent when it begins and wins over the URL, the
// role and the server's configuration. A pooler in between must pass these parameters on. gorm and pgx share one pool.
// No error and no log line shows a password, an argument or a value.
//
// A connection whose other end has gone without a word is found (liveness.go): by a ping of a second before it is used, by
// keep-alives on both sides, and by the server, which gives a vanished client's locks back within half a minute. Over a Unix
// socket only the first of these is needed. Close is bounded. AwaitLock says in the log that it waits for another process.
//
// Results are binary: a URL that asks for text is refused.
//
// A wait for a free connection ends with the caller's context; there is no other bound. Unavailable tells the
// failures of the moment from all others.
//
// # Embedded server
//
// The data folder is the meeting place of all processes of dg that work on it:
//
//   - server.lock is a file lock that every process of the server inherits. Free means that none of them lives, so
//     whoever gets it may make the cluster, remove what a crash has left, and launch.
//   - run/alive is a named pipe that every process which uses the server holds open. When the last of them has
//     stopped, exited or been killed, the shell that launched the server reads the end of the pipe and shuts it down.
//     It is the same mechanism on Linux and on a Mac; Pdeathsig would be a second one, on Linux only.
//   - serve.lock belongs to the one `dg serve` of the folder.
//
// So the first process launches, the others join, the last one out ends the server, in any order and however they
// end. `dg serve` joins a server that a shorter command has launched, and the server stays for it; a command that
// still works when `dg serve` stops keeps the server until it is done. Who comes while a server is being started or
// shut down waits for it, up to a minute without a sign of life.
//
// Only the system's own user reaches the socket, in a folder of 0700; there are no passwords and no TCP port. As root
// the server runs as the owner of the data, postgres or nobody, and `dg serve` goes on as that user once its ports are
// bound (DropPrivileges); a short command stays root. Folder paths may be long: the socket is elsewhere, in a
// folder whose name belongs to the data folder's path, so a copy of a data folder gets a socket of its own.
//
// Lock files of PostgreSQL that a crash or a power cut has left are removed before a launch, whatever process id they
// name: server.lock proves that no server of the folder lives. A server that answers is never taken for a dead one.
//
// Traded away: the shell (/bin/sh) must exist; killing the server's own supervising shells by hand leaves a server
// that nobody ends; initdb refuses a user id that has no name; and a cluster moves to another major version of
// PostgreSQL by dump and load only.
//
// # Migrations
//
// Under one lock, goose applies the files and then grants.sql, a template in which :role is the serving role. A program
// that is older than the schema applies neither: it would take the rights of the newer one away. It works with the newer
// schema as long as the table schema_minimum admits it. A migration that
// needs a lock tries for it briefly, and again after a pause, so that requests go on meanwhile. There is no way down: a
// mistake is corrected by a further migration.
//
// grants.sql takes from the serving role what others give to everybody as well: temporary tables, where the migrating
// role owns the database, and large objects, where it is a superuser. Elsewhere the log says what is to be run.
package postgres
