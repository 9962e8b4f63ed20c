package demo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/demo"
	"dg/modules/importer"
	"dg/platform/testkit/pgtest"
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

// BenchmarkImport imports plays from a file and reports each step. The bar for a million, with
// DG_SOAK=1, is 60 s on two cores.
func BenchmarkImport(b *testing.B) {
	plays := 100_000
	if os.Getenv("DG_SOAK") == "1" {
		plays = 1_000_000
	}
	path := b.TempDir() + "/plays.ndjson"
	file, err := os.Create(path)
	require.NoError(b, err)
	_, err = demo.Scale(file, 1, now,
		demo.Size{Plays: plays, Players: 10_000, Groups: []int{50, 5000}})
	require.NoError(b, err)
	require.NoError(b, file.Close())
	for b.Loop() {
		db := pgtest.New(b)
		input := importer.Input{
			Name: path,
			Open: func() (io.ReadCloser, error) { return os.Open(path) },
		}
		for _, run := range []string{"first", "again"} {
			steps := steps{b: b, run: run, started: time.Now()}
			_, err := importer.New(db.Owner.Pool).
				Import(context.Background(), []importer.Input{input}, steps.report)
			require.NoError(b, err)
			steps.next("end")
		}
	}
}

// steps reports how long each step of an import took.
type steps struct {
	b       *testing.B
	run     string
	step    string
	started time.Time
}

func (s *steps) report(p importer.Progress) {
	if string(p.Step) != s.step {
		s.next(string(p.Step))
	}
}

func (s *steps) next(step string) {
	if s.step != "" {
		s.b.ReportMetric(time.Since(s.started).Seconds(), s.run+"-"+s.step+"-s")
	}
	s.step = step
	s.started = time.Now()
}
