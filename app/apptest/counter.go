package apptest

import (
	"expvar"
	"slices"
	"sync"
)

// Counter counts responses by kind. Its zero value is empty.
type Counter struct{ expvar.Map }

// Besides returns the counts of all other kinds.
func (c *Counter) Besides(kinds ...string) map[string]string {
	others := map[string]string{}
	c.Do(func(n expvar.KeyValue) {
		if !slices.Contains(kinds, n.Key) {
			others[n.Key] = n.Value.String()
		}
	})
	return others
}

// Concurrently calls do n times concurrently and waits for all calls.
func Concurrently(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}
