// Package games owns games, the forks that organisations make of them, the skill catalogue and the plays. Tables: games, forks,
// plays.
//
// Invariants, kept by the schema: a play's player and fork belong to its organisation; a play has a completion, a score and a
// verdict, or none of the three; instants are whole milliseconds. A play's answers are packed in its row (PackAnswers): a child
// table of answers was six times the size and slower than everything else.
//
// A fork is read with the version of its organisation (package org), under which it may be cached.
//
// ForkOwner is not scoped to the caller's organisation: it returns the owner's id and nothing else (rules.md, Data).
package games
