// Package cluster tests replicas, PgBouncer, haproxy and failover of the primary on a whole
// cluster, for minutes: with DG_CLUSTER=1, as make cluster runs it. With KEEP=1 the cluster stays
// up instead, to be tried by hand.
package cluster
