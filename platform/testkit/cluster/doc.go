// Package cluster runs a large installation on one machine for `make cluster`: a PostgreSQL primary
// with two streaming replicas, PgBouncer in transaction mode in front of the primary, three
// instances of dg, and haproxy.
//
// Each server has its own loopback address and folder, and runs as another user if this process is
// root. Commits wait for one replica (synchronous_standby_names), so that a failover loses none.
//
// No process outlives the one that made the cluster: a guardian reads a pipe that only this process
// holds. When it closes, the guardian kills all processes that work in the folder, and removes it.
//
// A missing Debian package (postgresql, pgbouncer, haproxy) fails the test in one sentence.
package cluster
