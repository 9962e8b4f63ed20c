package main

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// namedFile is a file or folder of the tree as documents name it. A bare name stands for one in the
// folder named before it.
var namedFile = regexp.MustCompile("`((?:[a-z_]+/)*[a-z0-9_]+\\.(?:go|sql|md|yaml|csv|sh))`")

// The documents of the tree name files that exist.
func TestDocumentsNameFilesThatExist(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		"README.md", "CONTRIBUTING.md", "modules/publicapi/rules.md",
	} {
		text, err := os.ReadFile("../" + document)
		require.NoError(t, err)
		found := namedFile.FindAllStringSubmatch(string(text), -1)
		require.NotEmpty(t, found, document)
		folder := path.Dir(document)
		for _, match := range found {
			file := match[1]
			if strings.Contains(file, "/") {
				folder = path.Dir(file)
			} else if _, err := os.Stat("../" + folder + "/" + file); err == nil {
				continue
			}
			_, err := os.Stat("../" + file)
			assert.NoError(t, err, "%s names %s", document, file)
		}
	}
}
