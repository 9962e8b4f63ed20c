// Package org owns organisations: plan and reporting mode, memberships and roles, players and
// groups.
//
// Tables: organisations, memberships, players, player_ordinals, player_groups, group_members.
//
// Invariants, kept by the schema:
//   - Every change to an organisation or its forks gives it a new random version. A version never
//     repeats, even after a failover or restore. Versions compare for equality only.
//   - A player's ordinal is unique within an organisation and never reused. Members of a group are
//     players of its organisation.
//   - A deleted player leaves its groups, and its plays are deleted. Players and groups never
//     change their organisation.
//
// A change of the reporting mode commits with its audit entry. A change that depends on a member's
// role reads and locks the role in the same transaction (LockedSubjectIn). The function
// lock_membership behind it also reads the person's two-step verification, which belongs to
// identity.
//
// No change of a role leaves an organisation without an owner (SetRoleIn).
package org
