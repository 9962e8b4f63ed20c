// Package reports computes what is shown of the plays of a fork: statistics, and the export of every play. It is the one
// place that does: the API and the dashboard get the same figures from the same call.
//
// It owns no table. It reads plays (modules/games), and organisations, players, player_groups and group_members
// (modules/org).
//
// Invariants:
//   - What an answer says comes from one snapshot of the data (a REPEATABLE READ transaction): reporting mode, group,
//     anonymity, labels, plays.
//   - Anonymity and pseudonyms are applied here, so that no caller can forget them. One function, suppressed, decides.
//   - Figures are summed exactly, as integers, and rounded once at the end, half away from zero: whether they were
//     folded from rows or from sums of rows, the digits are the same. The tally is what is fed; it does not know where
//     its plays come from.
//
// Trades:
//   - Sums are made in Go, not in SQL: one pass over the raw plays of a period, in PostgreSQL's binary format. It needs
//     no second implementation for stored sums, and costs 16 bytes a player of the period.
//   - An export first reads the labels of the organisation's players (or the group's), then streams the plays alone in
//     the order of their index: a join would have to sort the whole period before the first row.
package reports
