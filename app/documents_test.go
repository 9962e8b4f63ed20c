package main

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// namedFile is a file of the tree as documents name it: by its path, or by its name after one of
	// the same folder.
	namedFile = regexp.MustCompile(
		"`((?:[A-Za-z_]+/)*[A-Za-z0-9_]+\\.(?:go|sql|md|yaml|yml|csv|conf|cfg|html|json|txt|sh))`",
	)
	namedTest    = regexp.MustCompile("`(Test[A-Z]\\w*)`")
	relativeLink = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)\s]+)?\)`)
)

// changelog names former files.
const changelog = "CHANGELOG.md"

// Every file, link and test that a document names is in the tree.
func TestDocumentsNameWhatExists(t *testing.T) {
	t.Parallel()
	tree := os.DirFS("..")
	var sources strings.Builder
	for _, text := range filesOfTree(t, ".go") {
		sources.Write(text)
	}
	exists := func(name string) bool {
		_, err := fs.Stat(tree, path.Clean(name))
		return err == nil
	}
	documents := filesOfTree(t, ".md")
	require.Contains(t, documents, "CONTRIBUTING.md")
	for name, text := range documents {
		folder := path.Dir(name)
		for _, link := range relativeLink.FindAllStringSubmatch(string(text), -1) {
			require.True(t, exists(path.Join(folder, link[1])), "%s: %s", name, link[0])
		}
		if name == changelog {
			continue
		}
		for _, test := range namedTest.FindAllStringSubmatch(string(text), -1) {
			require.Contains(t, sources.String(), "func "+test[1]+"(", name)
		}
		for _, file := range namedFile.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(file[1], "/") {
				folder = path.Dir(file[1])
			}
			require.True(t, exists(file[1]) || exists(path.Join(folder, path.Base(file[1]))),
				"%s: no file %s", name, file[1])
		}
	}
}

func filesOfTree(t *testing.T, extension string) map[string][]byte {
	files := map[string][]byte{}
	tree := os.DirFS("..")
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if entry.IsDir() && name != "." &&
			(strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules" || entry.Name() == "out") {
			return fs.SkipDir
		}
		if entry.IsDir() || path.Ext(name) != extension {
			return nil
		}
		files[name], err = fs.ReadFile(tree, name)
		return err
	}))
	return files
}
