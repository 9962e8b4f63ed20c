package main

import (
	"io/fs"
	"maps"
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
	namedCode = regexp.MustCompile("`([A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*)?)`")
	// namedMember is a declaration of a package, such as apikeys.Service.Run; namedTest is a test.
	namedMember  = regexp.MustCompile("`([a-z]+)\\.([A-Z]\\w*)(?:\\.([A-Z]\\w*))?`")
	namedTest    = regexp.MustCompile("`(Test[A-Z]\\w*)`")
	relativeLink = regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]+))?\)`)
	heading      = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// Every file, link, declaration and test that a document names is in the tree.
func TestDocumentsNameWhatExists(t *testing.T) {
	t.Parallel()
	documents := filesOfTree(t, ".md")
	require.Contains(t, documents, "CONTRIBUTING.md")
	packages := map[string]string{} // their sources, by the name of their folder
	for name, source := range filesOfTree(t, ".go") {
		packages[path.Base(path.Dir(name))] += string(source)
	}
	for name, text := range documents {
		wrong := wrongIn(os.DirFS(".."), name, string(text))
		if name != changelog {
			wrong = append(wrong, undeclaredIn(packages, string(text))...)
		}
		for _, one := range wrong {
			t.Errorf("%s: %s", name, one)
		}
	}
}

// changelog names former files and declarations.
const changelog = "CHANGELOG.md"

// undeclaredIn returns the members of packages and the tests that a document names and no package
// declares.
func undeclaredIn(packages map[string]string, text string) (wrong []string) {
	for _, member := range namedMember.FindAllStringSubmatch(text, -1) {
		if member[1] == "game" {
			continue // a schema of the OpenAPI document
		}
		sources := packages[member[1]]
		declared := declares(sources, member[2]) || declares(sources, `\w+.`+member[2])
		if member[3] != "" { // a method, or a member of a struct or interface
			declared = declared && (declares(sources, member[2]+"."+member[3]) ||
				regexp.MustCompile(`(?m)^\t`+member[3]+`\b`).MatchString(sources))
		}
		if !declared {
			wrong = append(wrong, member[0]+" is not declared")
		}
	}
	for _, test := range namedTest.FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(slices.Collect(maps.Values(packages)), func(sources string) bool {
			return declares(sources, test[1])
		}) {
			wrong = append(wrong, "there is no "+test[1])
		}
	}
	return wrong
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
	if name == changelog {
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
	packages := map[string]string{"p": "type T struct {\n\tField int\n}\nfunc (t *T) Do() {}\n"}
	require.Equal(t, []string{
		"`p.Gone` is not declared", "`p.T.Gone` is not declared", "`q.T` is not declared",
		"there is no TestGone",
	}, undeclaredIn(packages, "`p.T`, `p.T.Do`, `p.T.Field`, `p.Do`, `p.Gone`, `p.T.Gone`, `q.T`, "+
		"`TestGone`"))
}
