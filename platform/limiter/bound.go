package limiter

// Bound is whose limit a request met: the cause of its refusal.
type Bound string

// The bounds.
const (
	OfActor        Bound = "the limit of the key or person"
	OfOrganisation Bound = "the share of the organisation"
	OfInstance     Bound = "the limit of the instance"
)

// Error names the bound, for the log.
func (b Bound) Error() string { return string(b) }

// boundOf returns the first bound that a request meets: its actor's, its organisation's or, where these leave room,
// the instance's.
func (l *Limiter) boundOf(e *Lease) Bound {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case e.organisation.actors[e.actor] >= l.limits.ActorPlaces:
		return OfActor
	case !l.allows(e):
		return OfOrganisation
	}
	return OfInstance
}
