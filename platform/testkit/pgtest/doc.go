// Package pgtest gives a test a migrated PostgreSQL database of its own in tens of milliseconds.
//
// All test processes of a machine and user share one embedded server (package embeddedpg). Each has
// a reaper, another process of its program, which waits until the test process ends or is killed. The
// reaper then stops the server unless others use it. TestMain needs no call. On Linux each boot gets a
// new folder for the server, in memory (/dev/shm) if there is enough.
//
// A database is a copy of a template with the migrated schema, which is named by the hash of the
// migrations. It is dropped when its test ends. The reaper drops those of a killed process.
//
// Trade-offs: templates of former migrations, 8 MB each, stay in that folder. All tests share
// the server's connections. The server runs without autovacuum, so that plans do not change during
// a test: tables have statistics only after ANALYZE. StartBouncer puts a PgBouncer in front of it.
package pgtest
