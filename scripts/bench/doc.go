// Command bench compares dg with baselines, such as one query for the same rows or DuckDB in memory, on
// the same data and machine. Absolute figures differ between machines; ratios within one run are
// comparable.
//
// It builds dg, imports plays into an embedded PostgreSQL and starts `dg serve` with default
// settings. It measures dg and its baseline in turns. Load generator and PostgreSQL share the machine.
// The data is kept: a second run with the same folder and number of plays loads nothing.
package main
