package apptest

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Tally counts what clients got, by a word for each kind of answer.
type Tally struct {
	mu     sync.Mutex
	counts map[string]int
}

// Add counts one.
func (y *Tally) Add(kind string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.counts == nil {
		y.counts = map[string]int{}
	}
	y.counts[kind]++
}

// Of is how many there were of the kind.
func (y *Tally) Of(kind string) int {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.counts[kind]
}

// Besides are the counts of all other kinds.
func (y *Tally) Besides(kinds ...string) map[string]int {
	y.mu.Lock()
	defer y.mu.Unlock()
	others := maps.Clone(y.counts)
	maps.DeleteFunc(others, func(kind string, _ int) bool { return slices.Contains(kinds, kind) })
	return others
}

// String is such as map[200:17 503:2].
func (y *Tally) String() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return fmt.Sprint(y.counts)
}
