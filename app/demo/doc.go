// Package demo has two organisations to look at: their file in the import format, their accounts
// and their key. The same instant gives the same file, byte for byte.
//
// organisations.ndjson has all but the plays. The first organisation is pseudonymous on Pro with
// every kind of fork. The second is nominative on Enterprise. Its names are valid, but dangerous in
// a spreadsheet, a page or a terminal. The plays are of two years: few on weekends and in
// holidays, more in campaigns, by players who join in time and learn as they play.
//
// Accounts have published passwords and addresses under example.com and example.org: never load
// the demo into a server that others reach.
package demo
