// Package cluster runs everything that a large installation has on one machine: a PostgreSQL
// primary and two streaming replicas, PgBouncer in transaction mode in front of the primary, three
// instances of dg, and haproxy before them. `make cluster` tests on it.
//
// Each server has a loopback address and a folder of its own inside one folder, and runs as another
// user if this process is root. Commits wait for one replica (synchronous_standby_names), as they
// must where a failover is to lose none.
//
// Invariant: nothing outlives the process that made the cluster, however that ends: a guardian in a
// session of its own reads a pipe that only this process holds, and kills what works in the folder,
// then removes it, when the pipe is closed.
//
// What is missing of Debian's packages postgresql, pgbouncer and haproxy fails the test in one
// sentence.
package cluster
