package importer_test

import (
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/importer"
	"dg/platform/testkit/history"
	"dg/platform/testkit/pgtest"
)

// The memory that an import holds while it reads does not grow with the number of plays.
func TestImportHoldsConstantMemory(t *testing.T) {
	small := importLiveHeap(t, 2_000)
	large := importLiveHeap(t, 8_000)
	t.Logf("live heap at most: %d KB, %d KB", small>>10, large>>10)
	require.Less(t, large, small+1<<20) // 170 bytes a play, in every run
}

// importLiveHeap imports that many plays and returns the most memory in use after a garbage
// collection.
func importLiveHeap(t *testing.T, plays int) (most uint64) {
	t.Helper()
	input := importer.Input{Name: "plays", Open: func() (io.ReadCloser, error) {
		r, w := io.Pipe()
		go func() {
			_, err := history.Write(w, 1, time.Now(),
				history.Size{Plays: plays, Players: 500, Forks: 1, Days: 400})
			_ = w.CloseWithError(err)
		}()
		return r, nil
	}}
	_, err := importer.Importer{Pool: pgtest.New(t).Owner.Pool}.
		Import(t.Context(), []importer.Input{input}, onWrite(func() {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}))
	require.NoError(t, err)
	return most
}

// onWrite is called with each write.
type onWrite func()

func (f onWrite) Write(text []byte) (int, error) {
	f()
	return len(text), nil
}
