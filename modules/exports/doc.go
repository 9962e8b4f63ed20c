// Package exports sends every play of a fork over a period as a CSV file, to the API's keys and to people alike: it decides how
// many run at once, records each in the audit log, and breaks one off whose actor may no longer have it. What the file says
// is the work of modules/reports; who may have it is found out by the surface that takes the order. It owns no table.
//
// Invariants (decisions, "CSV"):
//   - The audit entry export.started is committed before there is anything to send; export.finished follows with the rows and
//     the outcome, and holds neither the last bytes of a file nor the news of a broken one.
//   - An actor that loses the right to an export loses it within two seconds. An export of which the database has not said
//     for as long whether its actor may have it is broken off too, for that reason: no answer is not "no".
//   - No organisation holds more than half of the places (platform/limiter): what it asks for keeps nobody else out. A place is
//     given back when the export ends, whatever ends it, and before that end is recorded.
//   - A file that was not sent whole does not look like one (httpserver.Stream).
package exports
