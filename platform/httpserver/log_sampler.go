package httpserver

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"dg/platform/netaddr"
)

// Limits of log lines a second, in all and for one client. Without them unauthenticated and
// rate-limited requests could fill the disk.
const (
	maxSampled           = 50
	maxSampledPerAddress = 20
)

// sampler chooses which refused requests are logged, and logs the number of the others.
type sampler struct {
	log *slog.Logger

	mu         sync.Mutex
	running    bool           // a second has begun
	logged     int            // in this second
	perAddress map[string]int // logged in this second: at most maxSampled keys
	dropped    int
}

// allow reports whether one more such request from the address is logged in this second.
func (s *sampler) allow(address string) bool {
	address = netaddr.ClientText(address)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running {
		s.running = true
		s.perAddress = map[string]int{}
		time.AfterFunc(time.Second, s.flush)
	}
	if s.logged >= maxSampled || s.perAddress[address] >= maxSampledPerAddress {
		s.dropped++
		return false
	}
	s.logged++
	s.perAddress[address]++
	return true
}

// flush ends the second.
func (s *sampler) flush() {
	s.mu.Lock()
	dropped := s.dropped
	s.running = false
	s.logged = 0
	s.perAddress = nil
	s.dropped = 0
	s.mu.Unlock()
	if dropped > 0 {
		s.log.LogAttrs(context.Background(), slog.LevelInfo,
			"unauthenticated or limited requests not logged", slog.Int("requests", dropped))
	}
}
