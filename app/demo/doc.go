// Package demo generates data in the import format: two organisations to look at (Write), and data sets of any size to
// measure with (Scale).
//
// It owns nothing and knows only the format: what it writes comes in by `dg import`, like anybody's data. The same seed
// and the same instant give the same file, byte for byte, so importing it twice changes nothing.
//
// Decisions:
//   - Two years of use that look real: weekdays and office hours, quiet summers and Christmases, campaigns of two weeks
//     for one fork, players who join in waves, learn as they play and differ in ability, plays that are given up.
//   - The first organisation is pseudonymous on Pro with every kind of fork; the second is nominative on Enterprise and
//     has names that are hostile to a spreadsheet, a page or a terminal, and legal.
//   - Accounts have known passwords and addresses under example.com and example.org: this is no data for a server that
//     others reach.
package demo
