package web_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The folders whose texts are ready for languages. Those of the documentation are not yet.
var translatable = []string{"", "account", "auditlog", "keys", "organisation", "reports", "ui"}

// A sentence is one text with places for its values (language.md): none is built with + from words
// and values, and none has a part that a condition leaves out or an "s" that is cut.
func TestSentencesAreWhole(t *testing.T) {
	t.Parallel()
	for _, folder := range translatable {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || file == filepath.Join("ui", "api_call.go") {
				continue // a command
			}
			set := token.NewFileSet()
			parsed, err := parser.ParseFile(set, file, nil, 0)
			require.NoError(t, err)
			ast.Inspect(parsed, func(n ast.Node) bool {
				if sum, ok := n.(*ast.BinaryExpr); ok && isBuilt(sum) {
					t.Errorf("%s: a sentence is built with +", set.Position(n.Pos()))
					return false
				}
				return true
			})
		}
		templates, err := filepath.Glob(filepath.Join(folder, "templates", "*.html"))
		require.NoError(t, err)
		for _, file := range templates {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			prose := otherTags.ReplaceAllString(inlineTags.ReplaceAllString(string(text), ""), "\n")
			for _, found := range conditionalParts.FindAllString(prose, -1) {
				t.Errorf("%s: a condition within a sentence: %s", file, found)
			}
		}
	}
}

// conditionalParts are words right before a condition that begins with words.
var conditionalParts = regexp.MustCompile(
	`(?:[a-z’,;:]{2}|\}\}) ?\{\{(?:if|with) [^}]*\}\} ?(?:\{\{\.?\}\})?[a-z’][a-z ’]*[a-z ]`)

// inlineTags are within a sentence, otherTags end it.
var (
	inlineTags = regexp.MustCompile(`</?(?:a|bdi|code|em|strong)\b[^<>]*>`)
	otherTags  = regexp.MustCompile(`<[^<>]*>`)
)

// words are the parts of a sentence. Paths, addresses and names of elements have no blank beside
// letters.
var words = regexp.MustCompile(`[A-Za-z]{2,} | [A-Za-z]{2,}`)

// isBuilt reports whether a sum joins words with something else than a text.
func isBuilt(sum *ast.BinaryExpr) bool {
	worded := false
	valued := false
	var visit func(ast.Expr)
	visit = func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.BinaryExpr:
			visit(e.X)
			visit(e.Y)
		case *ast.BasicLit:
			worded = worded || words.MatchString(e.Value)
		default:
			valued = true
		}
	}
	visit(sum)
	return sum.Op == token.ADD && worded && valued
}
