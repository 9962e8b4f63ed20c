// Package org owns organisations: plan and reporting mode, memberships and roles, players and groups. Tables: organisations,
// memberships, players, player_ordinals, player_groups, group_members.
//
// Invariants, kept by the schema:
//   - Every change to an organisation or its forks gives it a new random version, which never repeats, not even after a failover
//     or a restore: only equality means anything.
//   - A player's ordinal is given once within an organisation. A group's members are players of its organisation. A deleted
//     player leaves its groups and takes its plays along. The organisation of a player or group never changes.
//
// A change of the reporting mode commits with its audit entry. A change that depends on a member's role reads and locks it
// again in the transaction that writes (SubjectIn). lock_membership, the function behind that, also reads whether the person
// uses two-step verification, which belongs to identity.
//
// Erase deletes a player for good, with an entry that has the id and not the name; it and AllIDs are the operator's.
//
// GroupOwner is not scoped to the caller's organisation: it returns the owner's id and nothing else. Lookups of a person's own
// memberships are not scoped either (rules.md, Data).
//
// An import that changes a plan or the reporting mode leaves an entry of the operator's. One that creates an
// organisation or changes a role leaves none.
package org
