// Package reports computes the statistics of a fork, the overview of an organisation's forks, and
// exports of plays. The API and the dashboard call it alike, so that they show the same figures.
//
// It owns no table. Package sealer packs what is finished into segments, package segment encodes
// them.
//
// # Order of a request
//
//   - Admit (service.go): a report waits for a slot of its organisation, then for one of the
//     instance.
//   - Open (snapshot.go, metadata.go): one round trip begins a transaction, on a replica or the
//     primary, and reads reporting mode, owner of the group, anonymity, and what is sealed.
//   - Authorise: the caller asks its policy about the owner of the group (Header.GroupOwner).
//   - Read (reader.go, players.go, export.go, overview.go): the same snapshot. Rows are summed
//     as they arrive, in integers (segment.Accumulator).
//   - Round (statistics.go, ranking.go): once, half away from zero. An export is written as it is
//     read (csv.go).
//
// # Invariants
//
//   - A report comes from one snapshot: reporting mode, group, anonymity, labels and plays. After
//     the failure of a replica, or damaged segments, it comes from another one as a whole.
//   - No play is read before the caller has authorised, beyond the number of active members of a
//     group: the time of a refusal would reveal the size of a group. A group of another organisation
//     is never read.
//   - Anonymity and pseudonyms are applied here, so that no caller can forget them. One function,
//     suppressed, decides.
//   - No figure depends on a damaged segment: the plays are read instead, until `dg segments
//     rebuild` has sealed all again.
//   - A report on a group never costs more than the one on all players, sealed or not.
//   - TRUNCATE of the plays waits for open snapshots, and a snapshot for it.
//   - A report holds about 70 bytes for each player: rows are made one by one (Statistics.Player).
//     An export holds up to 12 MB of players' cells (maxExportPlayers).
package reports
