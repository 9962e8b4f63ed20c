package newfile

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of several commands that write one file at a time, one does; the others fail, and leave nothing
// behind.
func TestOneOfSeveralWritersGetsTheName(t *testing.T) {
	t.Parallel()
	for range 20 {
		path := filepath.Join(t.TempDir(), "backup")
		var files []*File
		for range 8 {
			f, err := Create(path)
			require.NoError(t, err)
			files = append(files, f)
		}
		var completed atomic.Int64
		var all sync.WaitGroup
		for _, f := range files {
			all.Go(func() {
				if err := f.Complete(); err == nil {
					completed.Add(1)
				}
			})
		}
		all.Wait()
		require.EqualValues(t, 1, completed.Load())
		left, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		require.Len(t, left, 1)
	}
}
