package reports

// minGroup is the k of k-anonymity: fewer players are never detailed (specification, section 8).
const minGroup = 5

// suppressed decides whether a report on a group is withheld: the group has fewer than five members, or one to four of
// them played in the period. The second half goes beyond the letter of the specification, knowingly: figures of one
// active member of a large group are that member's figures. A group of which nobody played gives zeros
// (decisions, "k-anonymity"). Counts beyond minGroup need not be exact.
func suppressed(members, active int) bool {
	return members < minGroup || (active > 0 && active < minGroup)
}
