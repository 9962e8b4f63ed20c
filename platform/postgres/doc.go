// Package postgres is dg's connection to its database: pools, migrations, roles, tenant isolation
// and replicas.
//
// Tenant isolation: a statement of gorm's builder on an organisation's table has the scope Tenant,
// which adds the condition. Raw and Exec take the organisation as an argument. A guard refuses any
// other statement by its structure, and AcrossTenants marks the exceptions. The guard does not
// parse SQL: TestStatementsAreScopedToAnOrganisation (package app) proves each statement under
// row-level security. Production runs without row-level security, because it costs 7 to 21% of a
// request. Reconsider it once programs without this guard share the serving role.
//
// Sessions: each sets UTC, timeouts and isolation when it begins, over the URL, the role and the
// server's configuration. Results are binary. No error and no log line shows a password, an
// argument or a value.
//
// Poolers: pooler=transaction in a URL (ThroughPooler) means transaction pooling. dg then sends
// only startup parameters that every pooler accepts, takes the rest from the role's defaults
// (SetRoleDefaults), and uses neither named prepared statements nor session locks. Open refuses a
// pooler that drops settings or that the URL does not announce.
//
// Failures:
//   - Of several hosts dg uses the one that takes writes, waits two seconds for each, and tries a
//     silent one last.
//   - A connection to a host that became a standby is closed, and its request gets 503.
//   - An idle connection is pinged before use. TCP keep-alives release the locks of a dead peer
//     within 30 seconds.
//   - A heartbeat fails the pool within SilenceTimeout once the server stops answering. It runs a
//     statement, because a pooler accepts connections for a silent server. A pooler whose sessions
//     are all in slow statements looks silent.
//
// Fair queue: with Options.FairQueue, an organisation gets at most half of the connections that the
// others leave free (package fairshare). Requests without a known credential share a fifth of the
// connections by network, at half duty.
//
// Replicas: a read from a hot standby sees every commit that precedes its request.
//   - The request's first statement returns the primary's flushed LSN (Position). With
//     synchronous_commit = off there is none.
//   - A replica reports its replayed LSN in a statement of its own. The snapshot is taken after it;
//     replay only advances.
//   - An LSN on a WAL page boundary may fall inside a record; no replica reports it until the
//     record is flushed. Such a read has the log flushed.
//   - A replica that lags by more than ReplicaWait is left out. A check each second readmits it
//     once it replays a new record. Replicas of another system or timeline are not read. The
//     timeline is current only for roles with pg_read_all_stats.
//
// Migrations: goose and then grants.sql run under one advisory lock. A program older than the
// schema applies neither: it would revoke rights of the newer one. It serves as long as
// schema_minimum admits it. Locks are taken with retries, so that requests continue. There are no
// down migrations. Rights of PUBLIC to temporary tables and large objects stay, because other
// programs may need them; the embedded server revokes them.
package postgres
