// Package staging loads the objects of an import into temporary tables. Rules about a whole file
// and the writing itself are then SQL over sets, and memory does not grow with the file.
//
// A module declares a Table for each kind of object, adds a row for each object, states the Rules
// that the rows obey, and writes them to its own tables. Everything happens in the transaction of
// the import; the temporary tables end with it.
//
// Invariants:
//   - Every row carries the line that it comes from, so that a violated rule names lines.
//   - Rows wait in memory until Flush. The caller flushes after a bounded amount of input.
package staging
