// Command bench measures dg against its limits: the same work done by the shortest way there is, in the same minutes, on
// the same data and machine. Absolute figures move from machine to machine; the ratios within one run hold.
//
// It builds dg, loads a data set (load.go) into an embedded PostgreSQL with the settings that dg gives it,
// starts `dg serve`, proves that the API's figures are those of SQL over the raw plays, and only then measures. Every
// line of work alternates with its limit over several rounds; medians are compared, and the spread is shown.
//
// The data set is kept: a second run with the same number of plays loads nothing. Everything else is undone in the
// end: the keys that it made stay, in a database that nobody else uses.
//
// Decisions:
//   - dg runs as a process of its own, as built by anybody, with its log at its default in a file. The load generator,
//     the plain fork of the limits and PostgreSQL share the machine with it, as they did when the bars were set.
//   - A limit is given every advantage: raw SQL leaves rounding and JSON to nobody, the in-memory limit has its plays at
//     hand, hello has no database.
//   - Plays are loaded past the importer, by one statement before their indexes are made: an import of 10 million takes most
//     of the time that a run may. What is loaded is proved by the answers, which are those of raw SQL.
//   - What goes on beside stalled readers is asked at a steady rate, whether earlier answers are there or not, and measured
//     from when it was due: a server that stops for a second is seen by all who would have asked in it.
//   - A guarantee (a broken export's query ends in time) is judged by its worst round, a speed by its median.
package main
