package apptest

import (
	"os"
	"path/filepath"
)

// tree is the folder of go.mod: a test runs in the folder of its package.
var tree = func() string {
	dir, _ := os.Getwd()
	for path := dir; path != filepath.Dir(path); path = filepath.Dir(path) {
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
			return path
		}
	}
	return dir
}()

// InTree is the path of a file of the tree, or of its root.
func InTree(path ...string) string { return filepath.Join(append([]string{tree}, path...)...) }
