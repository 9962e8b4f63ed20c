// Package games owns games, the forks that organisations made of them, the skill catalogue and the plays. Tables: games,
// forks, plays.
//
// Invariants, kept by the schema: a play's player and fork belong to the play's organisation; a play is finished when it
// has a completion, a score and a verdict, or has none of the three; times are whole milliseconds. A play's answers are
// packed in its row (PackAnswers): a child table of answers was six times the size and the slowest thing of all.
//
// A fork is read with the version of its organisation (modules/org), so that what is kept of it can be kept under that.
//
// ForkOwner is one of the program's three lookups that are not scoped to the caller's organisation (decisions, "Data"):
// it returns the owner's id and nothing else.
package games
