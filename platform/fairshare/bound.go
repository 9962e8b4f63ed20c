package fairshare

// Bound says whose limit a request has reached.
type Bound string

// The bounds.
const (
	OfActor        Bound = "the limit of the key or person"
	OfOrganisation Bound = "the share of the organisation"
	OfInstance     Bound = "the limit of the instance"
)

// BoundError is the cause of a refusal.
type BoundError struct{ Bound Bound }

// Error names the bound, for the log.
func (e *BoundError) Error() string { return string(e.Bound) }

// boundOf returns the narrowest bound that refuses the request: actor, organisation, instance.
func (l *Limiter) boundOf(e *Lease) Bound {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case e.organisation.actors[e.actor] >= l.limits.MaxConcurrentPerActor:
		return OfActor
	case !l.allows(e):
		return OfOrganisation
	}
	return OfInstance
}
