// Package exports sends every play of a fork over a period as a CSV file, to API keys and to people alike. It limits how many
// exports run at once, records each in the audit log, and aborts one when its actor loses access. Package reports writes the
// rows; the surface that takes the request authorises it. It owns no table.
//
// Invariants (modules/publicapi/rules.md, CSV):
//   - The audit entry export.started is committed before the first byte is sent. It commits while the first rows are read: where
//     these fail, the answer is their error, and export.finished says so. It follows every start with the rows and the outcome;
//     neither the last bytes of a file nor the abort of a broken one waits for it.
//   - An export ends within two seconds after its actor loses access (outcome key_unusable or access_ended), and within two
//     seconds after the database stops answering (database_unavailable). The two are never confused.
//   - A change of the reporting mode or an erasure does not touch an export that runs: it is of the moment that it began.
//   - No organisation holds more than half of the places. A place is free again when its export ends, before that end is
//     recorded.
//   - A truncated file never looks complete (httpserver.Stream).
package exports
