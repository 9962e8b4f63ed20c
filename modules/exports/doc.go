// Package exports sends the plays of a fork over a period as a CSV file, to API keys and to people.
// It owns no table. Package reports writes the rows; the caller authorises the request.
//
// Invariants (modules/publicapi/rules.md, CSV):
//   - The audit entry export.started commits before the first row is read. The entry
//     export.finished is written in the background, so that the client does not wait for it. A
//     failure is logged.
//   - Before a block, at most twice a second, an export rechecks the actor's access. While the
//     database is unavailable it repeats the recheck until the block's deadline.
//   - An organisation has at most half of an instance's slots. An export releases its slot before
//     its end is recorded. A semaphore bounds how many blocks are made at once.
package exports
