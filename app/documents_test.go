package main

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

var (
	// namedFile is a file of the tree as documents name it. A bare name stands for one in the
	// folder named before it.
	namedFile = regexp.MustCompile(
		"`((?:[A-Za-z_]+/)*[A-Za-z0-9_]+\\.(?:go|sql|md|yaml|yml|csv|conf|cfg|html|json|txt|sh))`",
	)
	// namedCode is what a row of a walk through the code says is declared in one of its files.
	namedCode    = regexp.MustCompile("`([A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*)?)`")
	relativeLink = regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]+))?\)`)
	heading      = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// Every file, link and declaration that a document names is in the tree. The changelog names former
// files.
func TestDocumentsNameWhatExists(t *testing.T) {
	t.Parallel()
	documents := filesOfTree(t, ".md")
	require.Contains(t, documents, "CONTRIBUTING.md")
	for name, text := range documents {
		for _, wrong := range wrongIn(os.DirFS(".."), name, string(text)) {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

// wrongIn returns what a document names and the tree does not have.
func wrongIn(tree fs.FS, name, text string) (wrong []string) {
	for _, link := range relativeLink.FindAllStringSubmatch(text, -1) {
		target := []byte(text)
		if link[1] != "" {
			var err error
			target, err = fs.ReadFile(tree, path.Join(path.Dir(name), link[1]))
			if err != nil {
				wrong = append(wrong, "no file at the link "+link[0])
				continue
			}
		}
		if link[2] != "" && !hasHeading(string(target), link[2]) {
			wrong = append(wrong, "no heading at the link "+link[0])
		}
	}
	if name == "CHANGELOG.md" {
		return wrong
	}
	return append(wrong, missingIn(tree, name, text)...)
}

// missingIn returns the files and declarations that a document names and the tree does not have. In
// a table of three columns the last one names what the files of its row declare.
func missingIn(tree fs.FS, name, text string) (wrong []string) {
	folder := path.Dir(name)
	for line := range strings.SplitSeq(text, "\n") {
		var sources string
		for _, match := range namedFile.FindAllStringSubmatch(line, -1) {
			file := match[1]
			if strings.Contains(file, "/") {
				folder = path.Dir(file)
			} else if _, err := fs.Stat(tree, path.Join(folder, file)); err == nil {
				file = path.Join(folder, file)
			}
			source, err := fs.ReadFile(tree, file)
			if err != nil {
				wrong = append(wrong, "no file "+match[1])
			}
			sources += string(source)
		}
		cells := strings.Split(line, "|")
		if sources == "" || len(cells) != 5 {
			continue
		}
		for _, code := range namedCode.FindAllStringSubmatch(cells[3], -1) {
			if !declares(sources, code[1]) {
				wrong = append(wrong, code[1]+" is not declared in the files of its row")
			}
		}
	}
	return wrong
}

// hasHeading reports whether a document has a heading with GitHub's anchor.
func hasHeading(text, anchor string) bool {
	return slices.ContainsFunc(heading.FindAllStringSubmatch(text, -1), func(h []string) bool {
		return anchor == strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, h[1])
	})
}

// declares reports whether Go sources declare a function, type or method, such as Service.Query.
func declares(sources, name string) bool {
	function := `func ` + name + `\b`
	if of, method, ok := strings.Cut(name, "."); ok {
		function = `func \(\w* ?\*?` + of + `(?:\[\w+\])?\) ` + method + `\b`
	}
	return regexp.MustCompile(`(?m)^(?:` + function + `|type ` + name + `\b)`).MatchString(sources)
}

// Planted faults of each kind prove that the test above can fail.
func TestDocumentsFindPlantedFaults(t *testing.T) {
	t.Parallel()
	const text = "# A heading, here\n[a](#a-heading-here) [b](#b) [c](missing.md) [d](main.go)\n" +
		"`app/main.go`, `nowhere.go`\n| step | `app/main.go` | `main`, `gone`, `Type.Method` |\n"
	require.Equal(t, []string{
		"no heading at the link ](#b)", "no file at the link ](missing.md)", "no file nowhere.go",
		"gone is not declared in the files of its row",
		"Type.Method is not declared in the files of its row",
	}, wrongIn(os.DirFS(".."), "app/main.md", text))
}
