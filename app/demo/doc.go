// Package demo generates data in the import format: two organisations to look at (Write), and data
// sets of any size to measure with (Scale).
//
// It knows only the format: its files go through `dg import` like any other data. The same seed and
// the same instant give the same file, byte for byte, so that a second import changes nothing.
//
// Decisions:
//   - Two years of realistic use: weekdays and office hours, quiet summers and Christmases,
//     campaigns of two weeks for one fork, players who join in waves, learn as they play and differ
//     in ability, abandoned plays.
//   - The first organisation is pseudonymous on Pro with every kind of fork; the second is
//     nominative on Enterprise and has valid names that are dangerous in a spreadsheet, a page or a
//     terminal.
//   - Accounts have published passwords and addresses under example.com and example.org: never load
//     the demo into a server that others reach.
package demo
