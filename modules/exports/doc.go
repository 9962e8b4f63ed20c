// Package exports sends the plays of a fork over a period as a CSV file, to API keys and to people.
// It owns no table. Package reports writes the rows; the caller authorises the request.
//
// Invariants (modules/publicapi/rules.md, CSV):
//   - The audit entry export.started commits before the first row is read. The entry
//     export.finished is written in the background, so that neither the end nor the abort of a file
//     waits for it. A failure is logged.
//   - Between two blocks an export asks whether its actor still has access, at most twice a second.
//     While the database is unavailable it asks again, until the block's deadline ends the export.
//   - An organisation has at most half of an instance's slots. An export releases its slot before
//     its end is recorded. Exports take turns to make their blocks.
package exports
