// Package games owns games, their forks by organisations, the skill catalogue and plays.
//
// Tables: games, forks, plays.
//
// Invariants, kept by the schema:
//   - The player and the fork of a play belong to its organisation.
//   - A play has completion, score and result, or none of the three. Instants are whole
//     milliseconds.
//
// A play's answers are packed in its row (PackAnswers): a child table was six times the size and
// slower.
//
// A fork is read with its organisation's version (package org), which is the key of caches.
//
// ForkOwner is not scoped to the caller's organisation: it returns the owner's id only (rules.md,
// Data).
package games
