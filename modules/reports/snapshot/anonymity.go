package snapshot

// MinGroup is the k of k-anonymity.
const MinGroup = 5

// suppressed reports whether a report on a group is hidden: fewer than MinGroup of its members
// played the fork in the period, nobody included. It counts active members, since the figures of
// one active member of a large group are that member's. Zeros for an idle group would reveal that a
// suppressed one was active. Counts beyond MinGroup need not be exact.
func suppressed(activeMembers int) bool { return activeMembers < MinGroup }
