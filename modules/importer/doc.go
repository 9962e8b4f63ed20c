// Package importer imports the data of organisations from NDJSON files, import format version 1.
//
// It owns no table: it writes those of org, games and identity, and audit entries.
//
// Invariants:
//   - All files of an import are one transaction. An error rolls it back. After ErrUnconfirmed, the
//     outcome of the commit is unknown. Imports are idempotent: an object that equals the stored
//     one is not written.
//   - Rows that requests lock (stored organisations and forks, people, memberships) are written
//     last, so that no request waits for an import until then. dg erase may wait longer. The order
//     of locks is organisations, memberships, people.
//   - An import never replaces the secret key. It keeps the stored form of a two-step secret that
//     has not changed, even if the previous key encrypts it.
//   - Memory does not grow with the number of objects, because temporary tables stage them.
//   - Errors never show password hashes, TOTP secrets, values of a wrong JSON type, or control
//     characters.
//
// Decisions that the format leaves open:
//   - A line gets one JSON syntax or type error, or one error for each invalid field. References
//     and uniqueness are checked type by type, if every line of the file is valid. After a file
//     with errors, later files are read only to find more errors.
//   - Uniqueness is checked at the end of a file: two organisations may swap slugs in one file. A
//     later file replaces objects of an earlier one.
//   - An object is replaced whole: a missing optional field becomes null.
//   - Lengths of strings are in code points. Blank strings are accepted.
//   - Timestamps are truncated to the millisecond.
//   - A pipe that ends between two lines is accepted as a whole file, unless it is gzip.
//   - An advisory lock admits one import at a time. Another import logs that it waits, and gives up
//     after ten minutes.
//   - The transaction is READ COMMITTED, as the triggers on plays require, without
//     statement_timeout.
//
// Trade-off: labels of new players are random and may collide, which fails the import: with
// 50 bits, 1 in 2,000 imports of a million new players. A retry draws new labels.
package importer
