package apptest

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Counter counts answers by kind.
type Counter struct {
	mu     sync.Mutex
	counts map[string]int
}

// Add counts one.
func (c *Counter) Add(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[kind]++
}

// Of returns the count of a kind.
func (c *Counter) Of(kind string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[kind]
}

// Besides returns the counts of all other kinds.
func (c *Counter) Besides(kinds ...string) map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	others := maps.Clone(c.counts)
	maps.DeleteFunc(others, func(kind string, _ int) bool { return slices.Contains(kinds, kind) })
	return others
}

// String returns the counts, such as map[200:17 503:2].
func (c *Counter) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprint(c.counts)
}

// Concurrently calls do n times concurrently and waits for all calls.
func Concurrently(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}
