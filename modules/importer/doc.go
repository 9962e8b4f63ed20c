// Package importer imports an organisation's data from NDJSON files, import format version 1.
//
// It owns the format and no table. It reads and checks each line by itself and hands the object to the module that owns it
// (identity, org, games). The modules state the fields and their rules as tagged structs, stage the objects
// (platform/staging), check the file as a whole, and write what is new or differs.
//
// Invariants:
//   - All files of one import are one transaction: any error leaves everything as it was, but for ErrUnconfirmed, after which the
//     import is in wholly or not at all. Importing again is always safe.
//   - A stored object that equals the one in the file is not written.
//   - Memory does not grow with the number of objects: ids are compared in PostgreSQL, never collected here.
//   - A value in an error is cut to 60 characters and quoted. Errors never show password hashes and TOTP secrets.
//
// Decisions, where the format is silent:
//   - Errors are the first 20, by file and line. References and uniqueness are checked once every line of a file is valid.
//     After a file with errors the later ones are only read for further errors.
//   - The end state of a file counts: two organisations may swap their slugs in one file. Files follow each other: an object
//     of the first that stands again in the second is replaced.
//   - An object is replaced whole: an optional field that is left out becomes null.
//   - UUIDs have hyphens, in upper or lower case; the nil UUID counts as missing. Numbers are compared by value: 87.5, 87.50
//     and 8.75e1 are the same score, and 3.0 is a whole number.
//   - Timestamps are RFC 3339 in the years 1 to 9999 UTC, without leap seconds, cut off to the millisecond. A play starts in
//     the years 2000 to 2199 UTC: no report could show another.
//   - Texts are counted in code points. Blank texts are data. A user's locale is a text.
//   - A line is at most 8 MB (a group of 200,000 players). A configuration is what PostgreSQL can store: at most 100 levels
//     deep, no NUL, numbers of at most 400 characters and three digits of exponent. Names are unique in every object.
//   - The end of a pipe is the end of the file: what fails upstream leaves a beginning that is imported as a whole file, unless it is
//     gzip, which has an end.
//   - CRLF and a byte-order mark at the beginning are accepted. A file is gzip if its name or its first bytes say so.
//   - One import runs at a time (an advisory lock); another waits with a log message, and gives up after ten minutes.
//   - The transaction is READ COMMITTED, as the triggers on plays require, and has no limits on statements, locks and idling.
//
// Trade-off: the label of a new player is drawn without a check whether another player has it. Two equal ones among the players
// of an organisation (50 bits: one import of a million players in 2,000) fail the import with an internal error; a second
// attempt succeeds.
package importer
