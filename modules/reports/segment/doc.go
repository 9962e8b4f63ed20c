// Package segment sums plays, and packs finished days and months of a fork into the segments that
// modules/reports stores. It says which are read (stored.go), and how a play is scanned (play.go).
//
// A day's segment takes about 16 bytes for each play. Its head holds players, times and results,
// its tail the answers, so that most reports read the head alone. The sums of the day are stored
// apart. The head of a month's segment holds the sums of its players, its tail the plays of each,
// so that the report of a group skips the other players.
//
// Invariants:
//   - Equal plays give equal bytes, whatever their order: segments are verified by packing the
//     plays again.
//   - Everything packed begins with a format version and a checksum that also covers its date. After
//     ErrDamaged nothing that was read of it may be used.
//   - Sums are exact integers: plays, summed days and summed months add up to the same.
package segment
