// Package segment sums plays, and packs finished days and months of a fork into the segments that
// modules/reports stores. It holds no SQL and knows nothing of where plays come from.
//
// A day's segment is columnar and takes about 16 bytes for each play. Its head holds what is known
// of players, its tail their answers, so that most reports read the head alone. Beside it stand the
// sums of the day. The head of a month's segment holds the sums of its players, its tail the plays
// of each, so that the report of a group reads few and skips the others.
//
// Invariants:
//   - Equal plays give equal bytes, whatever their order: segments are verified by packing the
//     plays again.
//   - Everything packed begins with a format version and a checksum that also covers its date. What
//     does not agree is ErrDamaged, and nothing that was read of it may be used.
//   - Sums are integers and exact: adding plays one by one, or days and months that were summed
//     before, gives the same.
package segment
