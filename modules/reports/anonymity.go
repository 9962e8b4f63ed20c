package reports

// minGroup is the k of k-anonymity: fewer players are never detailed (specification, section 8).
const minGroup = 5

// suppressed decides whether a report on a group is withheld: fewer than five of its members played the fork in the period,
// nobody included. It goes beyond the letter of the specification, knowingly: figures of one active member of a large group
// are that member's figures, and if an idle group showed zeros, a suppressed one would tell that somebody had played
// (decisions, "k-anonymity"). Counts beyond minGroup need not be exact.
func suppressed(active int) bool { return active < minGroup }
