// Package importer brings an organisation's data in: NDJSON, import format version 1.
//
// It owns the format and no table. It reads and checks each line by itself, hands the object to the module that owns it
// (identity, org, games), which stages it (platform/staging), and then lets the modules check the file as a whole and
// write what is new or differs.
//
// Invariants:
//   - All files of one import are one transaction: any error leaves everything as it was.
//   - An object that is stored as it stands in the file is not written.
//   - Memory does not grow with the number of objects: ids are compared in PostgreSQL, never collected here.
//   - A value that an error shows is cut to 60 characters and quoted; password hashes and TOTP secrets are never shown.
//
// Decisions, where the format is silent:
//   - Errors are the first 20, by file and line. When lines by themselves are wrong, only these are reported: references
//     and uniqueness are checked once every line of a file reads well. After a file with errors the later ones are only
//     read for theirs.
//   - A file's end state counts: two organisations may swap their slugs in one file. The files of an import follow each
//     other: what stands in the first and again in the second is replaced by the second.
//   - An object is replaced whole: an optional field that is left out becomes null.
//   - UUIDs are taken in upper and lower case, only in the form with hyphens. Numbers are taken by their value, exactly:
//     87.5, 87.50 and 8.75e1 are the same score, and 3.0 is a whole number.
//   - Timestamps are RFC 3339 in the years 1 to 9999 UTC, without leap seconds; times are compared as they are stored.
//     A play starts in the years 2000 to 2199 UTC: no report could show another.
//   - Texts are counted in code points. A user's locale is a text.
//   - A line is at most 8 MB (a group of 200,000 players), JSON nests at most 100 deep, a number has at most 400
//     characters and an exponent of at most three digits: what PostgreSQL can store in a configuration. For the same
//     reason a configuration has no NUL in its texts. Of a name that stands twice in a configuration the last counts.
//   - CRLF and a byte-order mark at the beginning are tolerated. A file is read as gzip when its name or its first bytes
//     say so.
//   - One import runs at a time (an advisory lock); another waits, says so in the log, and gives up after ten minutes. READ COMMITTED, because the triggers on plays ask for
//     it. The limits on statements, locks and idle transactions are lifted for the transaction.
//
// Trades: labels of new players are drawn while reading. Two equal ones among n players of an organisation (50 bits: one
// import of a million in 2,000) end the import with an internal error; it succeeds when tried again.
package importer
