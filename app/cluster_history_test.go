package main

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

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
}

// set records a change.
func (h *recording) set(value string, do func()) {
	begun := time.Now()
	do()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changes = append(h.changes, change{value, begun, time.Now()})
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

// stale returns the readings that show neither the value of the last change that was answered before they began, nor that of a
// change made meanwhile. What was before the first change is not known.
func (h *recording) stale() (found []reading) {
	for _, r := range h.readings {
		known, shown := false, false
		for i, c := range h.changes {
			if c.begun.After(r.ended) {
				break
			}
			replaced := i+1 < len(h.changes) && h.changes[i+1].ended.Before(r.begun)
			known = known || c.ended.Before(r.begun)
			shown = shown || !replaced && c.value == r.value
		}
		if known && !shown {
			found = append(found, r)
		}
	}
	return found
}

// A planted stale reading is found, and what happened at the same time as a change is not called stale.
func TestHistoryFindsStaleReadings(t *testing.T) {
	t.Parallel()
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	changes := []change{{"a", at(10), at(20)}, {"b", at(30), at(40)}, {"a", at(50), at(60)}}
	for _, c := range []struct {
		value      string
		begun, end int
		stale      bool
	}{
		{"a", 0, 5, false}, {"c", 0, 25, false}, // before the first change
		{"a", 21, 25, false}, {"b", 21, 25, true}, // between changes: also nothing from later
		{"a", 25, 35, false}, {"b", 25, 35, false}, {"a", 35, 100, false}, // during one
		{"b", 41, 45, false}, {"a", 41, 45, true}, // an old value
		{"b", 35, 55, false}, {"a", 35, 55, false}, // across one
		{"a", 61, 99, false}, {"b", 61, 99, true}, {"c", 61, 99, true},
	} {
		h := recording{changes: changes, readings: []reading{{c.value, "", at(c.begun), at(c.end)}}}
		require.Equal(t, c.stale, len(h.stale()) == 1, "%+v", c)
	}
}

// tally counts what clients got, by a word for each kind of answer.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (y *tally) add(kind string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.counts == nil {
		y.counts = map[string]int{}
	}
	y.counts[kind]++
}

func (y *tally) of(kind string) int {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.counts[kind]
}

// String is such as map[200:17 503:2].
func (y *tally) String() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return fmt.Sprint(y.counts)
}

// fetchFrom asks as a client that keeps its connections. Status 0 is a transfer that failed or broke.
func fetchFrom(c *http.Client, url, token string) (status int, body []byte) {
	request, err := http.NewRequest(http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, nil
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := c.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	if body, err = io.ReadAll(response.Body); err != nil {
		return 0, body
	}
	return response.StatusCode, body
}

// keepingClient is one client with connections of its own.
func keepingClient(within time.Duration) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: within}
}
