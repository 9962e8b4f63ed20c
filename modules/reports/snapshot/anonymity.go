package snapshot

// MinGroup is the k of k-anonymity.
const MinGroup = 5

// suppressed reports whether a report on a group is hidden: fewer than MinGroup of its members, maybe
// none, played the fork in the period. The figures of one active member of a large group are that
// member's. Zeros for an idle group would reveal that a suppressed one was active.
func suppressed(activeMembers int) bool { return activeMembers < MinGroup }
