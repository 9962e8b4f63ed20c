package apptest

import "path/filepath"

// tree is the folder of go.mod: a test runs in the folder of its package, such as app/system.
var tree, _ = filepath.Abs("../..")

// InTree returns the path of a file of the tree.
func InTree(path ...string) string { return filepath.Join(append([]string{tree}, path...)...) }
