// Package org owns organisations: plan and reporting mode, memberships and roles, players and
// groups.
//
// Tables: organisations, memberships, players, player_ordinals, player_groups, group_members.
//
// Invariants, kept by the schema:
//   - Every change to an organisation or its forks gives it a new random version. Unlike a counter,
//     it does not repeat after a failover or restore. Versions compare for equality only.
//   - A player's ordinal is unique within an organisation. The import never reuses one
//     (player_ordinals). Members of a group are players of its organisation.
//   - A deleted player leaves its groups, and its plays are deleted.
//
// The import refuses to move players and groups to another organisation.
//
// A change of the reporting mode commits with its audit entry. A change that depends on a member's
// role reads the role in its transaction. It also locks the role (LockedSubjectIn), unless it
// revokes a key. The SQL function lock_membership behind it also reads the person's two-step
// verification, which belongs to identity.
//
// SetRoleIn refuses to take the role from the last owner of an organisation; an import may.
package org
