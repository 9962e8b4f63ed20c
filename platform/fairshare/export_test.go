package fairshare

// Idle says whether nothing is held, nothing waits and no organisation is remembered.
func (l *Limiter) Idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.slots == 0 && l.bytes == 0 && len(l.organisations) == 0 && l.turns.Len() == 0
}
