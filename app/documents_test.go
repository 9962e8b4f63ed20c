package main

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// namedFile is a file or folder of the tree as documents name it. A bare name stands for one in the folder named before it.
var namedFile = regexp.MustCompile("`((?:[a-z_]+/)*[a-z0-9_]+\\.(?:go|sql|md|yaml|csv|sh))`")

// The documents of the tree name files that exist.
func TestDocumentsNameFilesThatExist(t *testing.T) {
	t.Parallel()
	for _, document := range []string{"README.md", "CONTRIBUTING.md", "modules/publicapi/rules.md"} {
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

var namedTest = regexp.MustCompile(`\bTest[A-Z]\w+`)

// The page about security names tests that exist.
func TestDocumentsOfSecurityNameTestsThatExist(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "grep", "-rhoE", "--include=*_test.go", "^func Test[A-Za-z0-9_]+", "..").Output()
	require.NoError(t, err)
	there := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		there[strings.TrimSpace(strings.TrimPrefix(line, "func "))] = true
	}
	text, err := os.ReadFile("../web/security_promises.go")
	require.NoError(t, err)
	found := namedTest.FindAllString(string(text), -1)
	require.Greater(t, len(found), 40)
	for _, name := range found {
		assert.True(t, there[name], "it names %s", name)
	}
	suites, err := exec.CommandContext(t.Context(), "sh", "-c", `sed -nE 's/^func (Test[A-Za-z0-9_]+)\(t .*/\1/p' chaos/*_test.go`).Output()
	require.NoError(t, err)
	for name := range strings.FieldsSeq(string(suites)) {
		assert.Contains(t, found, name, "a suite of chaos proves a promise")
	}
}
