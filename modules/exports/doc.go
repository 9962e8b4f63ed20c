// Package exports sends the plays of a fork over a period as a CSV file, to API keys and to people.
//
// It limits concurrent exports, records them in the audit log, and aborts one when its actor loses
// access. Package reports writes the rows; the caller authorises the request. It owns no table.
//
// Invariants (modules/publicapi/rules.md, CSV):
//   - The audit entry export.started commits before the first row is read. If the first block
//     fails, the response is that error.
//   - The entry export.finished has the rows and the outcome. It is written in the background, so
//     that neither the end nor the abort of a file waits for it. A failure is logged.
//   - Between two blocks an export asks whether its actor still has access, at most twice a second
//     (key_unusable, access_ended). It ends when the database does not answer for BlockTimeout or
//     recheckTimeout (database_unavailable). A failure of the database never counts as lost access.
//   - An export is a snapshot: later changes of the reporting mode and erasures do not affect it.
//   - An organisation has at most half of an instance's slots. An export releases its slot before
//     its end is recorded.
//   - A truncated file never looks complete (httpserver.Stream).
package exports
