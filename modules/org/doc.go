// Package org owns organisations: plan and reporting mode, memberships and roles, players and
// groups.
//
// Tables: organisations, memberships, players, player_ordinals, player_groups, group_members.
//
// Invariants, kept by the schema:
//   - A change to an organisation or its forks gives the organisation a new random version. A
//     counter could repeat after a restore or failover. Versions may be compared for equality only.
//   - A player's ordinal is unique within an organisation. The random version in player_ordinals
//     changes with every change of players. Members of a group are players of its organisation.
//   - A deleted player leaves its groups, and its plays are deleted.
//
// The import never reuses an ordinal (player_ordinals), and refuses to move players and groups to
// another organisation.
//
// A change of the reporting mode commits with its audit entry. A change that depends on a member's
// role reads the role in its transaction. It also locks the role (LockedSubjectIn), unless it
// revokes a key. LockedSubjectIn and SubjectIn also read the person's two-step verification, which
// belongs to identity.
//
// SetRoleIn refuses to demote or remove the last owner of an organisation. An import does not.
package org
