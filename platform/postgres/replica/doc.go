// Package replica reads from hot standbys of the primary. Such a read sees every commit that
// precedes its request.
//
//   - The request's first statement returns the primary's flushed LSN and timeline
//     (postgres.Position). With synchronous_commit = off there is none.
//   - Before the snapshot, one statement on the replica compares system, timeline and replayed LSN.
//     Replay only advances.
//   - A replica that has replayed more than it received has a history of its own: the LSN alone would
//     admit it.
//   - A replica that fails, or lags by more than Wait, rests for five seconds, and the primary is
//     read. An export that has begun on it ends with a reset.
//   - The timeline is current only for roles with pg_read_all_stats.
package replica
