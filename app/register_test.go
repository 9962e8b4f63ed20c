package main

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// change is one change of a value, from when it was asked for until that was answered.
type change struct {
	value        string
	begun, ended time.Time
}

// reading is one request that showed the value.
type reading struct {
	value, from  string
	begun, ended time.Time
}

// recording is what became of one value: its changes, one after the other, and its readings, at any time.
type recording struct {
	mu       sync.Mutex
	changes  []change
	readings []reading
	replicas bool // readings may come from replicas: until a change is answered one may show it, and a later one not yet
}

// set records a change.
func (h *recording) set(value string, do func()) {
	begun := time.Now()
	do()
	h.setAt(value, begun, time.Now())
}

// setAt records a change that was made between two moments.
func (h *recording) setAt(value string, begun, ended time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changes = append(h.changes, change{value, begun, ended})
}

// read records a reading. One without a value says nothing.
func (h *recording) read(from string, do func() (value string)) {
	begun := time.Now()
	value := do()
	h.mu.Lock()
	defer h.mu.Unlock()
	if value != "" {
		h.readings = append(h.readings, reading{value, from, begun, time.Now()})
	}
}

// The steps of a register: a change (from replicas its end), its beginning where that shows, and a reading.
type (
	whole   string
	opening string
	showing string
)

// registerState is the value, "" while it is not known yet, and the one that it is being changed to.
type registerState struct{ now, next string }

// register is one value that all see alike: a history is legal if each of its steps can have happened at one moment between
// its beginning and its answer.
var register = porcupine.Model{
	Init: func() any { return registerState{} },
	Step: func(state, step, _ any) (bool, any) {
		is := state.(registerState)
		switch s := step.(type) {
		case whole:
			return true, registerState{now: string(s)}
		case opening:
			return true, registerState{is.now, string(s)}
		default:
			value := string(s.(showing))
			return is.now == "" || is.now == value || is.next == value, is
		}
	},
	DescribeOperation: func(step, _ any) string { return fmt.Sprintf("%T %[1]v", step) },
}

// operations are the changes and these readings, for porcupine.
func (h *recording) operations(readings ...reading) (all []porcupine.Operation) {
	add := func(step any, from, to time.Time) {
		all = append(all, porcupine.Operation{Input: step, Call: from.Sub(processBegan).Nanoseconds(), Return: to.Sub(processBegan).Nanoseconds()})
	}
	for _, c := range h.changes {
		if h.replicas {
			add(opening(c.value), c.begun, c.begun)
			add(whole(c.value), c.ended, c.ended)
		} else {
			add(whole(c.value), c.begun, c.ended)
		}
	}
	for _, r := range readings {
		add(showing(r.value), r.begun, r.ended)
	}
	return all
}

// processBegan makes small numbers of moments, by the clock that nobody sets where both have it.
var processBegan = time.Now()

// checkWithin bounds the search for an order; a history without a result counts as illegal.
const checkWithin = 30 * time.Second

// faults is empty if the history is legal. Otherwise it names the readings that contradict the changes, each by itself; where
// there is none, readings contradict each other.
func (h *recording) faults() (found []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	result := porcupine.CheckOperationsTimeout(register, h.operations(h.readings...), checkWithin)
	if result == porcupine.Ok {
		return nil
	}
	for _, r := range h.readings {
		if !porcupine.CheckOperations(register, h.operations(r)) {
			found = append(found, fmt.Sprintf("%s showed %q in %s", r.from, r.value, r.ended.Sub(r.begun).Round(time.Microsecond)))
		}
	}
	if found == nil {
		found = []string{fmt.Sprintf("readings contradict each other (%s)", result)}
	}
	return found
}

// What contradicts a register is found, and what happened at the same time as a change is not.
func TestRegisterFindsIllegalHistories(t *testing.T) {
	t.Parallel()
	at := func(ms int) time.Time { return processBegan.Add(time.Duration(ms) * time.Millisecond) }
	changes := []change{{"a", at(10), at(20)}, {"b", at(30), at(40)}, {"a", at(50), at(60)}}
	type readings []struct {
		value      string
		begun, end int
	}
	for _, c := range []struct {
		readings
		faults, ofReplicas int
	}{
		{readings{{"a", 0, 5}, {"c", 0, 15}}, 0, 0},    // before the first change
		{readings{{"a", 21, 25}}, 0, 0},                // between changes
		{readings{{"b", 21, 25}}, 1, 1},                // nothing from later
		{readings{{"a", 25, 35}, {"b", 25, 35}}, 0, 0}, // during one
		{readings{{"a", 35, 100}}, 0, 0},
		{readings{{"b", 41, 45}}, 0, 0},
		{readings{{"b", 41, 45}, {"a", 41, 45}, {"a", 46, 47}}, 2, 2}, // an old value
		{readings{{"b", 35, 55}, {"a", 35, 55}}, 0, 0},                // across one
		{readings{{"a", 61, 99}, {"b", 61, 99}, {"c", 61, 99}}, 2, 2},
		{readings{{"b", 31, 33}, {"a", 34, 36}}, 1, 0}, // a new value and then the old one, during a change
		{readings{{"a", 31, 33}, {"b", 34, 36}}, 0, 0},
	} {
		for _, h := range []*recording{{changes: changes}, {changes: changes, replicas: true}} {
			for _, r := range c.readings {
				h.readings = append(h.readings, reading{r.value, "", at(r.begun), at(r.end)})
			}
			want := map[bool]int{false: c.faults, true: c.ofReplicas}[h.replicas]
			require.Len(t, h.faults(), want, "%+v, replicas %t", c.readings, h.replicas)
		}
	}
}
