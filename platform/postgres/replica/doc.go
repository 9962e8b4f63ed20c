// Package replica reads from hot standbys of the primary. Such a read sees every commit that
// precedes its request.
//
//   - The request's first statement returns the primary's flushed LSN (postgres.Position). With
//     synchronous_commit = off there is none.
//   - A replica reports its replayed LSN in a statement of its own. The snapshot is taken after it;
//     replay only advances.
//   - An LSN on a WAL page boundary may fall inside a record; no replica reports it until the
//     record is flushed. Such a read has the log flushed.
//   - A replica that lags by more than Wait is left out. A check each second readmits it once it
//     replays a new record. Replicas of another system or timeline are not read. The timeline is
//     current only for roles with pg_read_all_stats.
package replica
