// Package snapshot reads one state of a fork's plays and segments. It alone knows whether the primary
// or a replica is read.
//
// Open begins a REPEATABLE READ transaction and reads the metadata of a report in one round trip:
// reporting mode, owner of the group, anonymity, and the sealed part of the period. Readers take the
// snapshot and queue their statements in batches (SealedReader, PlaysReader, Members).
//
// Invariants:
//   - A snapshot contains every commit that precedes its request, also on a replica (Query.Position).
//   - After a replica's failure the primary is read, once (Open, ReadWithFailover).
//   - Open reads no play beyond the number of active members of a group, counted up to the k of
//     k-anonymity. A group of another organisation is never read.
//   - No answer depends on a damaged segment (damage.go): it is ignored, and marked as dirty later.
//   - What counts as sealed is defined once (sealed.go).
//   - A group never costs more than everybody, whatever is sealed.
//   - TRUNCATE of the plays and snapshots wait for each other.
package snapshot
