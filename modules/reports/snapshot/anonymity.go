package snapshot

// minGroup is the k of k-anonymity.
const minGroup = 5

// suppressed reports whether a report on a group is hidden: fewer than minGroup of its members
// played the fork in the period, nobody included. It counts active members, since the figures of
// one active member of a large group are that member's. Zeros for an idle group would reveal that a
// suppressed one was active. Counts beyond minGroup need not be exact.
func suppressed(activeMembers int) bool { return activeMembers < minGroup }
