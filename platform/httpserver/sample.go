package httpserver

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"
)

// How many requests of nobody known are logged in a second, and how many of them for one address: whoever is not known could
// otherwise fill the disk.
const (
	maxUnknownLines     = 50
	maxUnknownLinesEach = 20
)

// sampler chooses which requests of nobody known are logged, and says how many were not.
type sampler struct {
	log *slog.Logger

	mu      sync.Mutex
	running bool           // a second has begun
	lines   int            // logged in it
	each    map[string]int // the same by address: at most maxUnknownLines of them
	left    int            // left out
}

// take says whether one more request from the address is logged in this second.
func (s *sampler) take(address string) bool {
	if ip, err := netip.ParseAddr(address); err == nil {
		address = network(ip).String()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running {
		s.running, s.each = true, map[string]int{}
		time.AfterFunc(time.Second, s.flush)
	}
	if s.lines >= maxUnknownLines || s.each[address] >= maxUnknownLinesEach {
		s.left++
		return false
	}
	s.lines++
	s.each[address]++
	return true
}

// flush ends the second.
func (s *sampler) flush() {
	s.mu.Lock()
	left := s.left
	s.running, s.lines, s.each, s.left = false, 0, nil, 0
	s.mu.Unlock()
	if left > 0 {
		s.log.LogAttrs(context.Background(), slog.LevelInfo, "requests left out of the log", slog.Int("requests", left))
	}
}
