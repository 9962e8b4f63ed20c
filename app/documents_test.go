package main

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

var (
	tree = os.DirFS("..") // the repository
	// namedFilePattern matches the path of a file. A bare name is in the folder of the path named before it.
	namedFilePattern = regexp.MustCompile(
		"`((?:[A-Za-z_]+/)*[A-Za-z0-9_]+\\.(?:go|sql|md|yaml|yml|csv|conf|cfg|html|json|txt|sh))`")
	namedTestPattern = regexp.MustCompile("`(Test[A-Z]\\w*)`")
	// namedIdentifierPattern matches names with an inner capital, which are identifiers or JSON fields.
	namedIdentifierPattern = regexp.MustCompile("`([A-Za-z]?[a-z]+[A-Z]\\w*)`")
	shellBlockPattern      = regexp.MustCompile("(?s)```sh\n.*?```")
	relativeLinkPattern    = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)\s]+)?\)`)
)

// changelog names former files and tests, so only its links are checked.
const changelog = "CHANGELOG.md"

// Every file, link, test and identifier that a document names exists.
func TestDocumentsNameWhatExists(t *testing.T) {
	t.Parallel()
	var sources strings.Builder
	for _, text := range filesOfTree(t, ".go") {
		sources.Write(text)
	}
	exists := func(name string) bool { return tb.ErrorOf(fs.Stat(tree, path.Clean(name))) == nil }
	documents := filesOfTree(t, ".md")
	require.Contains(t, documents, "CONTRIBUTING.md")
	documents["openapi.yaml"] = tb.Must(fs.ReadFile(tree, "modules/publicapi/openapi.yaml"))(t)
	for name, text := range documents {
		folder := path.Dir(name)
		for _, link := range relativeLinkPattern.FindAllStringSubmatch(string(text), -1) {
			require.True(t, exists(path.Join(folder, link[1])), "%s: %s", name, link[0])
		}
		for _, block := range shellBlockPattern.FindAllString(string(text), -1) {
			require.NotRegexp(t, `(?m)(^|\s)# `, block, "%s: zsh takes comments for arguments", name)
		}
		if name == changelog {
			continue
		}
		for _, test := range namedTestPattern.FindAllStringSubmatch(string(text), -1) {
			require.Contains(t, sources.String(), "func "+test[1]+"(", name)
		}
		for _, match := range namedIdentifierPattern.FindAllStringSubmatch(string(text), -1) {
			declared := regexp.MustCompile(`\b` + match[1] + `\b`).MatchString(sources.String())
			require.True(t, declared, "%s: %s is in no file of Go", name, match[0])
		}
		for _, file := range namedFilePattern.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(file[1], "/") {
				folder = path.Dir(file[1])
			}
			require.True(t, exists(file[1]) || exists(path.Join(folder, path.Base(file[1]))),
				"%s: no file %s", name, file[1])
		}
	}
}

func filesOfTree(t *testing.T, suffix string) map[string][]byte {
	files := map[string][]byte{}
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if entry.IsDir() && name != "." &&
			(strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules" || entry.Name() == "out") {
			return fs.SkipDir
		}
		if !entry.IsDir() && strings.HasSuffix(name, suffix) {
			files[name], err = fs.ReadFile(tree, name)
		}
		return err
	}))
	return files
}

// promiseRowPattern matches a row of promises.md: a section, the promise, and the tests that prove it.
var promiseRowPattern = regexp.MustCompile(`(?m)^\| ([a-z0-9., ]+) \| (.+) \| (Test.+) \|$`)

var specSections = strings.Fields(
	"1 2.1 2.2 2.3 2.4 2.5 3.1 3.2 4 4.1 4.2 4.3 4.4 4.5 5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 5.9 6 7 8 9")

var (
	subjectPattern = regexp.MustCompile(`<dt>([^<]+)</dt>`)
	testPattern    = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9_]+)\(t `)
)

// Each section of the specification and each subject of /docs/security has tests, which exist.
func TestPromisesHaveTests(t *testing.T) {
	t.Parallel()
	promises := tb.Must(os.ReadFile("promises.md"))(t)
	rows := promiseRowPattern.FindAllStringSubmatch(string(promises), -1)
	require.Len(t, rows, strings.Count(string(promises), "\n| ")-1, "a row is malformed")
	securityPage := string(filesOfTree(t, ".html")["web/docs/templates/security.html"])
	var subjects, sections, provedSubjects, namedTests []string
	for _, match := range subjectPattern.FindAllStringSubmatch(securityPage, -1) {
		subjects = append(subjects, match[1])
	}
	require.Greater(t, len(subjects), 20)
	for _, row := range rows {
		namedTests = append(namedTests, strings.Fields(row[3])...)
		if row[1] == "security" {
			assert.Contains(t, subjects, row[2], "the page does not promise it")
			provedSubjects = append(provedSubjects, row[2])
			continue
		}
		sections = append(sections, strings.Split(row[1], ", ")...)
	}
	slices.Sort(sections)
	assert.Subset(t, provedSubjects, subjects, "no test proves a promise of the page")
	assert.Equal(t, specSections, slices.Compact(sections))

	mechanisms := tb.Must(os.ReadFile("mechanisms.md"))(t)
	namedTests = append(namedTests, regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(string(mechanisms), -1)...)

	var existing []string
	for file, text := range filesOfTree(t, "_test.go") {
		for _, match := range testPattern.FindAllStringSubmatch(string(text), -1) {
			existing = append(existing, match[1])
			if strings.Contains(file, "chaos") {
				assert.Contains(t, namedTests, match[1], "a suite of chaos proves a promise")
			}
		}
	}
	slices.Sort(existing)
	require.Equal(t, slices.Compact(slices.Clone(existing)), existing, "a name that stands twice proves nothing")
	for _, name := range namedTests {
		assert.True(t, slices.Contains(existing, name), "there is no %s", name)
	}
}
