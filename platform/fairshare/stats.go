package fairshare

// Stats are a limiter's figures for metrics.
type Stats struct {
	Running, Waiting int
	Refused          uint64 // since the start
}

// Stats returns how much work runs and waits, and how much was refused.
func (l *Limiter) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Stats{Running: l.slots, Refused: l.refused.Load()}
	for turn := l.turns.Front(); turn != nil; turn = turn.Next() {
		s.Waiting += len(turn.Value.(*organisation).queue)
	}
	return s
}
