// Package reports computes the statistics of a fork, the overview of an organisation's forks, and
// exports of plays. The API and the dashboard call it alike, so that they show the same figures.
//
// It owns the tables fork_days and fork_months (segments), and unsealed_days and unsealed_months
// (their dirty marks). It reads plays and forks (modules/games), organisations, players,
// player_ordinals, player_groups and group_members (modules/org).
//
// # Order of a request
//
//   - Admit (admission.go): a report takes a place and a lease of memory. One that turns out large
//     waits among the large ones.
//   - Open (snapshot.go): one round trip begins a transaction, on a replica or the primary, and
//     reads the metadata.
//   - Read (statistics_reader.go, export_reader.go, overview_reader.go): made of the readers of
//     segments, plays, members and labels.
//   - Aggregate (segment.Accumulator): rows are summed as they arrive, in integers.
//   - Round (statistics.go, ranking.go): once, half away from zero. An export is written as it is
//     read (export.go).
//
// The sealer (sealer.go, sealer_pass.go, bucket.go) packs the finished days and months of large
// forks into segments.
//
// # Invariants
//
//   - An answer comes from one REPEATABLE READ transaction: reporting mode, group, anonymity,
//     labels and plays.
//   - It contains what was committed before its request began, also on a replica (Query.Position;
//     package postgres says why).
//   - What a replica fails is read again from the primary, once, before the first byte. Writes go
//     to the primary.
//   - Anonymity and pseudonyms are applied here, so that no caller can forget them. One function,
//     suppressed, decides.
//   - Segments are a cache that is never stale. A trigger on plays takes a shared advisory lock for
//     each fork-day that it touches, and marks those with a segment as dirty. The sealer takes the
//     exclusive locks without waiting before it reads the plays. So a segment either contains a
//     write or is marked by it. Plays are written at READ COMMITTED only: an older snapshot would
//     not see a segment sealed since.
//   - No answer depends on a damaged segment (damage.go): it is ignored, logged, and marked as
//     dirty where that can be written.
//   - What counts as sealed is defined once (sealed.go).
//   - A group never costs more than everybody, whatever is sealed.
//   - Memory is bounded by the leases (limits.go): an answer makes each player's row when it is
//     written (Statistics.Player).
//
// # Trade-offs
//
//   - Statistics take two round trips. Reading a group's plays before it is known whether they may
//     be read would save one, and its duration would tell how many there are.
//   - A large report starts again in another transaction: a small one never waits for a large one.
//   - TRUNCATE of the plays waits for reports, exports and the sealer, and they for it.
package reports
