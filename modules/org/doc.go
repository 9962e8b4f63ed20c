// Package org owns organisations: their plan and reporting mode, memberships and roles, players and groups. Tables:
// organisations, memberships, players, player_ordinals, player_groups, group_members.
//
// Invariants, kept by the schema: an organisation's version is drawn anew, at random, with every change to it or its forks,
// and never repeats, also where history is lost (failover, restore): only equality means anything; a player's
// ordinal is never given twice within an organisation; a group's members are players of its organisation; a deleted
// player leaves its groups and takes its plays along. What never changes is the organisation of a player or group.
//
// GroupOwner is one of the program's three lookups that are not scoped to the caller's organisation (decisions, "Data"):
// it returns the owner's id and nothing else.
//
// A change of the reporting mode by an owner commits with its audit entry. What rests on a member's role reads it again, and
// locks it, in the transaction that writes (SubjectIn): a role that was taken away meanwhile changes nothing any more.
// lock_membership, the function behind that, also reads whether the person uses two-step verification, which is identity's.
//
// Trade: an import that changes an organisation's reporting mode, like one that changes its plan or roles, leaves no audit
// entry. An entry is by a person or a key, and an import is by whoever holds the database's own password; the organisation's
// log would have to name an actor that it does not know.
package org
