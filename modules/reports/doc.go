// Package reports computes the statistics of a fork, the overview of an organisation's forks, and
// exports of plays. The API and the dashboard call it alike, so that they show the same figures.
//
// It owns no table: it reads through package snapshot, and labels from players (modules/org).
// Package sealer packs what is finished into segments, package segment encodes them.
//
// # Order of a request
//
//   - Admit (limits.go): a report waits for a place, among the large ones if the last report on the
//     fork or group was large.
//   - Open (package snapshot): one round trip begins a transaction and reads the metadata.
//   - Authorise: the caller asks its policy about the owner of the group (Header.GroupOwner).
//   - Read (statistics_reader.go, export_reader.go, overview_reader.go): the same snapshot, with
//     the readers of segments, plays, members and labels.
//   - Aggregate (segment.Accumulator): rows are summed as they arrive, in integers.
//   - Warn (overlaps.go): a screen asks for groups that lack few of the report's players.
//   - Round (statistics.go, ranking.go): once, half away from zero. An export is written as it is
//     read (export.go).
//
// # Invariants
//
//   - An answer comes from one snapshot: reporting mode, group, anonymity, labels and plays.
//   - No play is read before the caller has authorised: the time of a refusal would reveal the size
//     of a group.
//   - Anonymity and pseudonyms are applied here, so that no caller can forget them. One function,
//     snapshot.suppressed, decides.
//   - A report holds about 50 bytes for each player: rows are made one by one (Statistics.Player).
package reports
