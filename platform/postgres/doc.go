// Package postgres is dg's connection to its database: pools, migrations, rights of the serving role, the guard of
// organisations' rows, and the errors that mean "try again later".
//
// Organisations. A statement of gorm's builder on an organisation's table has the scope Tenant, which adds the
// condition. A text goes through Raw or Exec, which take the organisation. The guard refuses everything else by its
// structure: what it is built on, and what it joins. AcrossTenants marks the exceptions. No text is read when it runs,
// neither a whole one, nor a condition, nor one on pgx: TestStatementsAreScopedToAnOrganisation (package app) proves
// under row-level security what each needs.
//
// Production does without row-level security: it cost more than the 5% that a third wall was to cost at most. Measured with a policy on
// each of the tables, (select nullif(current_setting('dg.org', true), ”)::uuid) = org_id, and a set_config of the
// organisation that is sent with the rest of the transaction; by turns with the same without, on a loaded machine, medians:
// list of forks (not cached) +17%, statistics of 30 days +14% and of a year +21%, first byte of an export +7%, a page of the
// audit log +18%. Statements that are alone would become transactions, and authentication, the lookups across organisations,
// the sealer and imports would need a role that it does not bind. It is worth that once programs without this guard share the
// serving role.
//
// Sessions. What a session needs (UTC, bounds of time, isolation) is sent when it begins and wins over the URL, the role and
// the server's configuration. Results are binary: a URL that asks for text is refused. No error and no log line shows a
// password, an argument or a value.
//
// Poolers. A URL with pooler=transaction (ThroughPooler) leads to one that gives each transaction to any session. Sent is only
// what every pooler takes; the rest is the role's default, which SetRoleDefaults sets. Statements are described and not
// prepared under a name. Locks and further settings last for a transaction. Open looks at a session: a pooler that drops
// settings, has none of them, or shares sessions unannounced is refused.
//
// Several hosts. The one that takes writes is used. Connecting to one takes at most two seconds, and a silent one is tried
// last. A connection that turns out to lead to a standby is closed, and its request answered 503.
//
// Dead connections. A connection that was idle is pinged before use; TCP keep-alives on both sides find a peer that has
// gone, so that a vanished client's locks are released within half a minute.
//
// Fair queue. A pool with Options.FairQueue gives an organisation at most half of the connections that the others
// leave, and serves those that wait in turn (package limiter). Requests without a known credential share a fifth of
// the connections, by network, and half of the time of these: a flood of them takes neither connections nor processors
// from organisations. A wait of five seconds ends as if the database were out of reach.
//
// A silent server. A pool with a heartbeat fails within SilenceTimeout when the server neither answers nor closes its
// connections; a slow statement continues. The heartbeat runs a statement, because a pooler answers for a silent server; a
// pooler all of whose sessions are in slow statements is taken for one.
//
// Replicas. A read from a hot standby holds whatever was committed before its request began. The statement that begins the request
// returns the Position up to which the primary has flushed its log. A commit is flushed before anybody sees it, so it lies before
// that position; with synchronous_commit = off it would not, and then there is no position. A replica says how far it has
// replayed in a statement of its own, and the snapshot is taken after it: within one run of a server replay only grows. Through a
// pooler a URL leads to one server. A position at the edge of a page of the log is amid a record, which nobody has replayed
// before PostgreSQL flushes the rest, within wal_writer_delay: a read that meets it has the log flushed.
//
// A read waits at most ReplicaWait for a replica, which is then left out. Once a second, each replica is checked: it has to be a
// standby of the same system, on the primary's timeline, no further than the primary, and one that was left out has to replay a record
// that is written only then. So one that lags, is paused, stopped, silent, promoted or has a history of its own is not read from,
// and a good one comes back within about a second. While a replica stays bad no read waits for it; one that changes all the time
// keeps at most as many reads a second waiting as its pools have connections, 19 by default. A replica that follows another primary,
// while this one takes writes too, is found by its timeline, which PostgreSQL shows at once only to roles with pg_read_all_stats.
//
// Migrations. Under one lock, goose applies the files and then grants.sql, a template in which :role is the serving role. A
// program that is older than the schema applies neither, because it would take the newer one's rights away; it works
// with the newer schema as long as the table schema_minimum admits it. A migration that needs a lock tries for it briefly
// and repeatedly, so that requests continue meanwhile. There are no down migrations: a further one corrects a mistake.
//
// Rights that PostgreSQL gives to everybody, temporary tables and large objects, are not revoked: other programs of the
// database may need them. The log names the statement. The embedded server is dg's alone and revokes them.
package postgres
