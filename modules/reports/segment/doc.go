// Package segment sums plays, and packs finished days and months of a fork into the segments that
// package sealer stores.
//
// A day's segment takes about 16 bytes for each play. Its head holds players, times and results,
// its tail the answers, so that most reports read the head alone. The sums of the day have a column
// of their own. The head of a month's segment has the sums of its players. Its tail has the plays
// by player, in blocks, so that a report on a group reads only the blocks with members.
//
// Invariants:
//   - Equal plays give equal bytes, whatever their order.
//   - Heads, tails of days, blocks of months and sums each have a checksum that also covers the
//     date. Heads and sums begin with a format version. After ErrDamaged the caller must discard
//     what was read.
//   - Sums are exact integers: plays, summed days and summed months add up to the same.
package segment
