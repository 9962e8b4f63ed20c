package demo_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/demo"
	"dg/modules/importer"
)

var now = time.Date(2026, 11, 20, 15, 30, 0, 0, time.UTC)

// generated is an input that is written while it is read.
func generated(name string, write func(io.Writer) error) importer.Input {
	return importer.Input{Name: name, Open: func() (io.ReadCloser, error) {
		r, w := io.Pipe()
		go func() { _ = w.CloseWithError(write(w)) }()
		return r, nil
	}}
}

// The parts of a data set have each play once, in the order of time, and the same organisation;
// uneven, half of the plays are in one fork.
func TestScalePartsMakeTheWhole(t *testing.T) {
	t.Parallel()
	size := demo.Size{Plays: 1_003, Players: 7, Forks: 4, Days: 30, Uneven: true, Parts: 3}
	forks := map[string]int{}
	ids := map[string]bool{}
	last := ""
	var organisation any
	for size.Part = 1; size.Part <= size.Parts; size.Part++ {
		var file bytes.Buffer
		made, err := demo.Scale(&file, 5, now, size)
		require.NoError(t, err)
		if organisation == nil {
			organisation = made
		}
		require.Equal(t, organisation, made)
		for line := range bytes.Lines(file.Bytes()) {
			var p struct{ Type, ID, ForkID, StartedAt string }
			require.NoError(t, json.Unmarshal(line, &p))
			if p.Type != "play" {
				continue
			}
			require.False(t, ids[p.ID])
			require.LessOrEqual(t, last, p.StartedAt)
			ids[p.ID] = true
			last = p.StartedAt
			forks[p.ForkID]++
		}
	}
	require.Len(t, ids, size.Plays)
	require.ElementsMatch(t, []int{502, 167, 167, 167}, slices.Collect(maps.Values(forks)))
}
