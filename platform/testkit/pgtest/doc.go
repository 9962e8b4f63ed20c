// Package pgtest gives a test a PostgreSQL database of its own, migrated, in some tens of
// milliseconds.
//
// All test processes of this machine and user share one embedded server, as all processes of dg on
// a data folder do: the first launches it, the last to exit ends it, killed or not (see package
// postgres). There is nothing to start before `go test ./...` and nothing to call in TestMain. The
// server's folder stays between runs, one for each boot of the machine, because the server writes
// without waiting for the disk; it is in memory (/dev/shm) where there is plenty, otherwise in the
// temporary folder.
//
// A database is a copy of a template that holds the migrated schema, kept under the hash of the
// migrations, and made again after a crash of the server, which empties its unlogged tables. A
// database is dropped when its test ends; what a killed process has left, a later one drops.
//
// With DG_TEST_POOLER=1 the serving role reaches its database through PgBouncer in transaction
// mode, the owner directly. With DG_TEST_SERVER and DG_TEST_REPLICAS, which `make cluster` sets,
// databases are on its primary and reports read from its standbys.
//
// Trade-offs: templates of former migrations, 8 MB each, stay until the next boot; all tests of a
// machine share the server's connections; and tables have no statistics unless the test says
// ANALYZE, since the server runs without autovacuum so that plans do not change in the middle of a
// test.
package pgtest
