// Package sealer packs the finished days and months of large forks into segments, which reports
// read faster than plays. No figure depends on the sealer: reports read unsealed days from plays.
//
// It owns the tables fork_days and fork_months (segments), and unsealed_days and unsealed_months
// (their dirty marks).
//
// Invariants:
//   - Reports never read a stale segment. A trigger on plays takes a shared advisory lock for each
//     fork-day that it touches, and marks those with a segment as dirty. Before the sealer reads
//     plays, it takes the exclusive locks, or skips the day or month if a writer holds one. So each
//     write either is in the segment or marks it. Plays are written at READ COMMITTED only:
//     an older snapshot would not see a segment sealed since. Writers mark segments instead of
//     deleting them, because deletes could deadlock. A statement on more than 64 fork-days, or a
//     transaction after 128, locks whole forks, because all sessions share one lock table.
//   - A clean day has a hash of its plays, even if it is too large for a segment. A day that an
//     older sealer packed may have an outdated hash, but is not clean.
//   - One sealer works at a time, over all instances. An erasure takes the same lock, because it
//     deletes dirty segments.
//   - After a failure a pass goes on with the next day or month, unless the connection or the sealer
//     lock is lost.
package sealer
