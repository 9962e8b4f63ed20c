// Package importer imports an organisation's data from NDJSON files, import format version 1.
//
// formats.go is the table of formats: for each type how a line becomes a row of a temporary table,
// the rules of a file, and how the stored table is updated. objects.go has the fields of a line with
// their rules. Checks and writing are SQL over the rows of a file. The package owns no table: it
// writes those of org, games and identity, and uses their keys, labels and packed answers.
//
// Invariants:
//   - All files of an import are one transaction. An error rolls it back; after ErrUnconfirmed all
//     of it is committed, or nothing. Imports are idempotent: an object equal to the stored one is
//     not written.
//   - Memory does not grow with the number of objects: PostgreSQL compares ids.
//   - A value in an error is cut to 60 characters and quoted. Errors never show password hashes and
//     TOTP secrets.
//
// Decisions that the format leaves open:
//   - The first 20 errors are reported, by file and line; a line is not read after its twentieth.
//     References and uniqueness are checked once every line of a file is valid. After a file with
//     errors, later files are only checked.
//   - The end state of a file counts: two organisations may swap slugs in one file. A later file
//     replaces objects of an earlier one.
//   - An object is replaced whole: a missing optional field becomes null.
//   - UUIDs have hyphens, in any case; the nil UUID counts as missing. Numbers compare by value:
//     87.5 and 8.75e1 are equal, and 3.0 is a whole number. They have the precision of a double.
//   - Timestamps are RFC 3339, years 1 to 9999 UTC, without leap seconds, cut off to the
//     millisecond. Plays start in 2000 to 2199.
//   - Texts are counted in code points; blank texts are data. A user's locale is any text.
//   - A line has at most 8 MB (a group of 200,000 players). A configuration must fit jsonb: at most
//     100 levels, no NUL, numbers of at most 400 characters and three digits of exponent. Names are
//     unique in every object.
//   - CRLF and a leading byte-order mark are accepted. gzip is recognised by name or magic bytes. A
//     truncated pipe looks like a whole file, unless it is gzip.
//   - An advisory lock admits one import at a time. Another logs that it waits and gives up after
//     ten minutes.
//   - The transaction is READ COMMITTED, as the triggers on plays require, without timeouts.
//
// Trade-off: labels of new players are random, without a check. A collision (50 bits: one import of
// a million players in 2,000) fails the import with an internal error; a retry succeeds.
package importer
