// Package staging brings the objects of an import into temporary tables, so that the rules that concern a whole file and
// the writing itself are plain SQL over sets, and memory does not grow with the file.
//
// A module defines a Table for each kind of object, appends a row for each object, states the Rules that its objects keep,
// and then writes them to its own tables. Everything happens in the one transaction of the import; the temporary tables
// end with it.
//
// Decisions:
//   - Rows are encoded here to PostgreSQL's binary COPY format and sent by a second goroutine in batches of 256 KB, so
//     that reading a file and storing it overlap. pgx's CopyFrom takes a slice of interfaces a row: measured, that was
//     the larger part of reading a play.
//   - Every staged row carries the line that it stands on: a rule answers with lines.
package staging
