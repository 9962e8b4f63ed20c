// Package org owns organisations: plan and reporting mode, memberships and roles, players and
// groups.
//
// Tables: organisations, memberships, players, player_ordinals, player_groups, group_members.
//
// Invariants, kept by the schema:
//   - A change of an organisation or its forks gives the organisation a new random version. A
//     counter could repeat after a restore or failover. Compare versions for equality only.
//   - A player's ordinal is unique within an organisation. The random version in player_ordinals
//     changes with every change of players. Members of a group are players of its organisation.
//   - Deleting a player deletes its plays and its memberships in groups.
//
// The import never reuses an ordinal (player_ordinals), and refuses to move players and groups to
// another organisation.
//
// A change of the reporting mode commits with its audit entry. A change that depends on a member's
// role reads the role in its transaction. All but the revocation of a key also lock the role
// (LockedSubjectIn). LockedSubjectIn and SubjectIn read the person's two-step verification too,
// which belongs to identity.
//
// SetRoleIn refuses to demote or remove the last owner of an organisation. An import does not.
package org
