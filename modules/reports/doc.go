// Package reports computes the statistics of a fork and exports its plays. The API and the dashboard get the same figures
// from the same call.
//
// It owns the tables of segments: fork_days, fork_months, and their dirty marks in unsealed_days and unsealed_months. It reads
// plays and forks (modules/games), and organisations, players, player_ordinals, player_groups and group_members (modules/org).
// Statements are beside the type that sends them; what is summed and packed is in the package segment.
//
// # Segments
//
// Segments are a cache of the finished days and months of large forks. Never stale:
//
//   - A trigger on plays takes a shared advisory lock for each fork-day that a statement touches, and marks those that have a
//     segment as dirty.
//   - The sealer tries the exclusive locks without waiting, and only then reads the plays, writes the segment and removes the
//     mark. So what was sealed before a write is marked by it, and what is sealed after a write contains it.
//   - A report reads clean segments, and the plays of all other days, in one snapshot.
//   - What counts as sealed is defined once (sealed.go), for statistics, the overview, the sealer and commands.
//   - Segments carry a checksum that every reader compares (damage.go). A damaged one is ignored, logged and marked as dirty.
//   - `dg segments verify` packs every segment again from the plays and compares the bytes.
//
// # Invariants
//
//   - An answer comes from one snapshot of the data, a REPEATABLE READ transaction: reporting mode, group, anonymity, labels
//     and plays.
//   - It holds whatever was committed before its request began, also where it is read from a replica (Query.Position, and package
//     postgres says why). What a replica fails is asked again of the primary, once, before the first byte. What is written is
//     written to the primary.
//   - Anonymity and pseudonyms are applied here, so that no caller can forget them. One function, suppressed, decides.
//   - No answer depends on a damaged segment, nor on whether a mark can be written.
//   - Figures are summed exactly, as integers, and rounded once at the end, half away from zero.
//   - Reports are admitted by organisation, by count and by memory (limits.go).
//
// # Memory
//
//   - Large statistics take 4 MB (16 of a group whose months are read) and 56 bytes for each player of the organisation: the
//     sums, the order and the label. A screen, which lists the rows, takes 160 more. What labels take beyond 16 bytes each is
//     charged to the report's lease as they are read. Where there is no room the report is refused with RetryAfter.
//   - Nobody makes a list of the players' rows for the API: each row is made from the sums and the label when it is written
//     (Statistics.Player). 100,000 players take 3.8 MB beyond their sums while the report is made, and 4.2 MB with them while it is sent.
//   - One report at a time, over all organisations, may take more than half of the memory for large reports (48 MB). So an
//     instance holds at most 96 MB and the excess of that one: 100,000 players with names of 800 bytes take 90 MB.
//   - An export holds at most 12 MB of keys and labels of players. Where they take more, each row looks up its own.
//
// # Trade-offs
//
//   - Small and large statistics are admitted apart, so that small ones never wait for large ones. The metadata tells which a
//     report is; a large one starts again in another transaction. In an organisation of more than 5,000 players that costs
//     small ones a count of as many plays or members.
//   - Sums are made in Go, in one pass over plays in PostgreSQL's binary format, or over segments.
//   - Plays are written at READ COMMITTED only: another snapshot would not see a segment sealed since it was taken.
//   - The sealer finds large forks by a statement that names no organisation; every statement on a fork's plays names it.
//   - It passes every minute over what is marked and the last week of forks with segments, and searches all plays for more once an
//     hour: until then a fork that has just become large is read from its plays.
//   - Days of more than 250,000 plays and forks of up to 50,000 are not sealed.
//   - TRUNCATE of the plays is not MVCC-safe, so it waits for reports and the sealer, and they for it. An export of half an
//     hour keeps it out as long.
//   - Segments of another version of the program are ignored and sealed again. Programs of two versions seal them in turns
//     while both run; the figures stay right.
//   - Statistics take two round trips: what is sealed, then everything else together with the labels of all players. A third
//     would be saved by reading a group's plays before it is known whether they may be read: time would tell how many there are.
//   - The plays of a small group are looked up member by member; for a large one everybody's are read, and those of others are
//     skipped here. So a group never costs more than everybody, whatever is sealed. From one in 70 of the organisation's players
//     on a group is read from segments where there are any: of whole months the plays of its members alone. Months whose plays
//     take more than 40 MB are sealed without them. Without segments a group is large from one in eight on.
//   - An overview counts the players of four weeks exactly, from segments and plays, for up to 250,000 plays outside segments
//     and twenty times as many inside. Beyond that it counts plays alone.
//   - An export reads plays alone, in the order of their index: a join would sort the whole period before the first row.
package reports
