// Command bench measures dg against its limits: the same work done in the shortest possible way, on
// the same data and machine, in the same minutes. Absolute figures differ between machines; ratios
// within one run are comparable.
//
// It builds dg, loads a data set into an embedded PostgreSQL, starts `dg serve`, and measures. Ours
// and the limit alternate over several rounds; medians are compared and the spread is shown. The
// data set is kept: a second run with the same number of plays loads nothing.
//
// Decisions:
//   - dg runs as a process with default settings. The load generator and PostgreSQL
//     share the machine with it.
//   - A limit gets every advantage: DuckDB has its plays in memory, knows no labels and formats
//     nothing. Its engine comes from npm, into the data folder.
//   - Plays are imported, as all data is. Of 10 million that takes many minutes, once for a folder.
//   - Requests beside a crowd are sent at a steady rate and measured from the moment at which they
//     were due, so that a pause of the server counts for every request due in it.
//   - A guarantee (a broken export's query ends in time) is judged by its worst round, a speed by
//     its median.
package main
