// Package reports computes the statistics of a fork, the overview of an organisation's forks, and
// exports of plays. The API and the dashboard call it alike, so that they show the same figures.
//
// It owns no table. Package sealer packs finished days and months into segments (package segment).
//
// # Invariants
//
//   - A report comes from one snapshot: reporting mode, group, anonymity, labels and plays. If a
//     replica fails or a segment is damaged, the whole report is read again from a new snapshot.
//   - The caller authorises the read by the header (Header.GroupOwner). Before that, plays are read
//     only to count a group's active members up to MinGroup, to decide whether the report is large,
//     and for the Fingerprint of a report on all players. Members of other organisations' groups
//     are never read.
//   - Anonymity and pseudonyms are applied here, so that no caller can forget them. The function
//     suppressed alone decides which reports are suppressed.
//   - Equal fingerprints prove equal content. A Fingerprint belongs to its snapshot: figures that
//     are read from a later snapshot have none.
//   - A report uses cached labels only if their version is that of its snapshot. Labels that no
//     report confirms for a minute are dropped, so that an erased player's label does not stay.
//   - Sums are integers. Figures are rounded once, half away from zero.
//   - No figure depends on a damaged or missing segment: reports read the plays instead. The sealer
//     replaces missing segments, `dg segments rebuild` damaged ones too.
//   - A report on a group reads no more rows and pages than the report on all players, besides
//     memberships.
//   - A report holds about 70 bytes for each player: Statistics.Player makes each row on demand.
//     An export may cache the cells of all players (maxExportPlayers).
package reports
