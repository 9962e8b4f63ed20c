// Package postgres is dg's connection to its database: pools, sessions, migrations and roles.
//
// Sessions: without a pooler, each sets UTC, timeouts and isolation when it begins. These win over
// the URL, the role and the server's configuration. No error shows a password.
//
// Poolers: pooler=transaction in a URL (ThroughPooler) means transaction pooling, pooler=prepared
// that the pooler also keeps prepared statements. dg then sends only startup parameters that
// PgBouncer accepts. It takes the rest from the role's defaults (roles.sh), and uses no session
// locks. Open refuses sessions without these settings.
//
// Failures:
//   - A connection to a host that became a standby is closed, and its request gets 503.
//   - A connection that was idle for a second is pinged before use. The server releases the locks
//     of a dead client within 30 seconds.
//   - The deadline of a request detects a silent server.
//
// Replicas: a read of a hot standby sees every commit that precedes its request.
//   - The request's first statement returns the primary's insert LSN and timeline (Position).
//   - Before the snapshot, one statement on the replica compares database, timeline and replayed
//     LSN. Replay only advances. If replay is behind, one statement makes the primary flush its log.
//   - A replica that has replayed more than it received is not read: it may have diverged from
//     the primary.
//   - A replica that fails or lags is left out until a check succeeds, one every five seconds, and
//     the primary is read. An export that has begun on a failing replica ends with a reset.
//
// Migrations: goose and then the grants run under one advisory lock. A program older than the
// schema applies neither: it would revoke rights of the newer one. A migration waits two seconds
// for a table's lock, so that requests continue. There are no down migrations. Rights of PUBLIC to
// temporary tables and large objects stay, because other programs may need them.
package postgres
