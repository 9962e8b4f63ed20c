package apptest

import (
	"fmt"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// Change is one change of a value, with the times of its request and its answer.
type Change struct {
	Value        string
	Begun, Ended time.Time
}

// reading is one request that showed the value.
type reading struct {
	value, from  string
	begun, ended time.Time
}

// Recording has the sequential changes and the concurrent readings of one value.
type Recording struct {
	mu       sync.Mutex
	Changes  []Change
	Readings []reading
	// readings may come from replicas: until a change is answered, readings may alternate between
	// both values
	Replicas bool
}

// Set records a change.
func (h *Recording) Set(value string, do func()) {
	begun := time.Now()
	do()
	h.SetAt(value, begun, time.Now())
}

// SetAt records a change that was made between two moments.
func (h *Recording) SetAt(value string, begun, ended time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Changes = append(h.Changes, Change{value, begun, ended})
}

// ReadSince returns whether the last reading began after the moment.
func (h *Recording) ReadSince(begun time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.Readings) > 0 && h.Readings[len(h.Readings)-1].begun.After(begun)
}

// Read records a reading. It drops a reading without a value.
func (h *Recording) Read(from string, do func() (value string)) {
	begun := time.Now()
	value := do()
	h.mu.Lock()
	defer h.mu.Unlock()
	if value != "" {
		h.Readings = append(h.Readings, reading{value, from, begun, time.Now()})
	}
}

// The steps of a register: a change (with replicas: its end), the beginning of a change with
// replicas, and a reading.
type (
	whole   string
	opening string
	showing string
)

// registerState is the value ("": unknown) and the value of a change in progress.
type registerState struct{ now, next string }

// register is the model of a linearizable value: each step takes effect at one moment between its
// beginning and its answer.
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

// operations returns the changes and these readings for porcupine.
func (h *Recording) operations(readings ...reading) (all []porcupine.Operation) {
	add := func(step any, from, to time.Time) {
		all = append(all, porcupine.Operation{
			Input:  step,
			Call:   from.Sub(processBegan).Nanoseconds(),
			Return: to.Sub(processBegan).Nanoseconds(),
		})
	}
	for _, c := range h.Changes {
		if h.Replicas {
			add(opening(c.Value), c.Begun, c.Begun)
			add(whole(c.Value), c.Ended, c.Ended)
		} else {
			add(whole(c.Value), c.Begun, c.Ended)
		}
	}
	for _, r := range readings {
		add(showing(r.value), r.begun, r.ended)
	}
	return all
}

// processBegan is the origin of times: differences to it use the monotonic clock.
var processBegan = time.Now()

// checkWithin bounds the search for an order; a history without a result counts as illegal.
const checkWithin = 30 * time.Second

// Faults is empty if the history is legal. Otherwise it names the readings that contradict the
// changes, each by itself; where there is none, readings contradict each other.
func (h *Recording) Faults() (found []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	result := porcupine.CheckOperationsTimeout(register, h.operations(h.Readings...), checkWithin)
	if result == porcupine.Ok {
		return nil
	}
	for _, r := range h.Readings {
		if !porcupine.CheckOperations(register, h.operations(r)) {
			found = append(found,
				fmt.Sprintf("%s showed %q in %s", r.from, r.value,
					r.ended.Sub(r.begun).Round(time.Microsecond)))
		}
	}
	if found == nil {
		found = []string{fmt.Sprintf("readings contradict each other (%s)", result)}
	}
	return found
}
