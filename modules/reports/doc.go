// Package reports computes what is shown of the plays of a fork: statistics, and the export of every play. It is the one
// place that does: the API and the dashboard get the same figures from the same call.
//
// It owns the segments: fork_days, fork_months, unsealed_days, unsealed_months. It reads plays and forks (modules/games),
// and organisations, players, player_ordinals, player_groups and group_members (modules/org).
//
// Segments are a cache of finished days and months of large forks that is never stale (sealer.go, segment.go, sealed.go). A
// statement-level trigger on plays takes a shared advisory lock for each fork-day that a statement touched, and marks those
// that have a segment. The sealer tries the exclusive locks, without waiting, before it reads the plays and takes the marks
// away. A report reads the segments without a mark and the plays of all other days, in one snapshot. So what was sealed
// before a write is marked by it, and what is sealed after it holds it. `dg segments verify` packs everything again from
// the plays and compares the bytes.
//
// Which days and months count as sealed is defined once (sealedsql.go), for statistics, the list of reports, the sealer and
// the commands. What is sealed carries a checksum that every reader compares (damage.go): a day or month that is damaged is
// read from the plays in the same answer, told, and marked, so that the next pass seals it again.
//
// Invariants:
//
//   - What an answer says comes from one snapshot of the data (a REPEATABLE READ transaction): reporting mode, group,
//     anonymity, labels, plays.
//
//   - Anonymity and pseudonyms are applied here, so that no caller can forget them. One function, suppressed, decides.
//
//   - No answer depends on a segment whose checksum does not agree, nor on whether a mark can be written.
//
//   - Figures are summed exactly, as integers, and rounded once at the end, half away from zero: whether they were
//     folded from rows or from sums of rows, the digits are the same. The tally is what is fed; it does not know where
//     its plays come from.
//
//   - Reports are admitted by organisation, by count and by the memory that they are expected to hold until their answer is
//     sent (limits.go): no organisation holds all places, nor all connections of the pool.
//
// Trades:
//   - Small and large statistics are admitted apart, so that a small one never waits for large ones. Which one it is, is known
//     from the scope: what turns out large begins anew in another transaction, which costs it a round trip. Small ones pay
//     nothing but, in an organisation of more than 5,000 players, a count of up to as many plays or members.
//   - Sums are made in Go, not in SQL: one pass over the raw plays of a period, in PostgreSQL's binary format, or over
//     what was summed before. It costs 16 bytes a player of the period.
//   - Plays are written at READ COMMITTED only: the trigger refuses other levels, whose snapshot would not see a segment
//     that was sealed since it was taken.
//   - The sealer works for all organisations: it finds large forks by a statement that names no organisation, and each
//     statement on a fork's plays names the fork's.
//   - Days of more than 250,000 plays, and forks of up to 50,000, are not sealed: they are read from the plays.
//   - A day that was too large has an empty segment, which nobody reads: it is counted again when a play of it has changed.
//   - TRUNCATE of the plays is not MVCC-safe: an older snapshot would see no plays beside the segments of what was there. So
//     reports and the sealer lock the table (ACCESS SHARE) before they look at anything, and TRUNCATE waits for them and they
//     for it. An export that runs for half an hour keeps it out as long.
//   - A segment that another version of the program has sealed is read from the plays and sealed again, the newest first. To
//     read an older form as well would mean to take a damaged segment for one of that form. Instances of two
//     versions of segments beside each other seal them in turns for as long as that lasts; the figures stay right.
//   - Statistics take two round trips: what is sealed, and then all the rest with the labels: while some rows are folded,
//     PostgreSQL reads the next. So the labels of all players are asked for before it is known who has played.
//   - A group is read play by play when it has at most one in 70 of the organisation's players, else from the segments.
//   - An export reads labels first (of 500 plays' players, then of all), and the plays alone in the order of their index:
//     a join would have to sort the whole period before the first row. It holds the labels of the organisation's players.
package reports
