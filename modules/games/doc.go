// Package games owns games, their forks by organisations, the skill catalogue and plays.
//
// Tables: games, forks, plays.
//
// Invariants, kept by the schema:
//   - The player and the fork of a play belong to the play's organisation.
//   - A play has completed_at, score and passed, or none of the three.
//   - Instants are whole milliseconds.
//
// A play's answers are packed in its row (PackAnswers): a child table would be larger and slower.
//
// Forks are read with the version of their organisation (package org), for ETags.
package games
