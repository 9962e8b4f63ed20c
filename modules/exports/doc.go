// Package exports sends the plays of a fork over a period as a CSV file, to API keys and to people.
//
// It limits concurrent exports, records them in the audit log, and aborts one when its actor loses
// access. Package reports writes the rows; the caller authorises the request. It owns no table.
//
// Invariants (modules/publicapi/rules.md, CSV):
//   - The audit entry export.started commits before the first byte is sent, while the first rows
//     are read. If reading fails, the answer is that error.
//   - Each export.started gets an export.finished with the rows and the outcome. It is written in
//     the background: neither the end nor the abort of a file waits for it.
//   - An export ends within two seconds after its actor loses access (key_unusable, access_ended),
//     and within two seconds after the database stops answering (database_unavailable). The two
//     outcomes are never confused.
//   - An export is a snapshot: later changes of the reporting mode and erasures do not affect it.
//   - An organisation runs at most half of the exports. The slot is free before the end is
//     recorded.
//   - A truncated file never looks complete (httpserver.Stream).
package exports
