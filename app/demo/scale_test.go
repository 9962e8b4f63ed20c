package demo_test

import (
	"context"
	"io"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"dg/app/demo"
	"dg/modules/importer"
	"dg/platform/testkit/pgtest"

	"github.com/stretchr/testify/require"
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

// BenchmarkImport imports a million plays from a file and reports each step. The bar is 60 s on two cores.
func BenchmarkImport(b *testing.B) {
	path := b.TempDir() + "/plays.ndjson"
	file, err := os.Create(path)
	require.NoError(b, err)
	_, err = demo.Scale(file, 1, now, demo.Size{Plays: 1_000_000, Players: 10_000, Groups: []int{50, 5000}})
	require.NoError(b, err)
	require.NoError(b, file.Close())
	for b.Loop() {
		db := pgtest.New(b)
		input := importer.Input{Name: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
		for _, run := range []string{"first", "again"} {
			steps := steps{b: b, run: run, began: time.Now()}
			_, err := importer.New(db.Owner.Pool).Import(context.Background(), []importer.Input{input}, steps.tell)
			require.NoError(b, err)
			steps.next("end")
		}
	}
}

// steps reports how long each step of an import took.
type steps struct {
	b     *testing.B
	run   string
	step  string
	began time.Time
}

func (s *steps) tell(p importer.Progress) {
	if string(p.Step) != s.step {
		s.next(string(p.Step))
	}
}

func (s *steps) next(step string) {
	if s.step != "" {
		s.b.ReportMetric(time.Since(s.began).Seconds(), s.run+"-"+s.step+"-s")
	}
	s.step, s.began = step, time.Now()
}

// highWater watches the heap until stop is called, and returns the most that was in use.
func highWater() (stop func() uint64) {
	var most atomic.Uint64
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapInuse))
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(done); <-ended; return most.Load() }
}
