package main

import (
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/importer"
	goparser "go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// programText is a constant text of the program that may be a statement or a part of one. Its name is the tag of the statement,
// or the text's place in the program.
type programText struct{ name, text string }

// programPackage is a package as go list shows it, with its compiled form.
type programPackage struct {
	ImportPath, Dir, Export string
	GoFiles, EmbedFiles     []string
}

// programTexts returns the texts of the packages, and the functions that call postgres.AcrossTenants.
func programTexts(t *testing.T) (texts []programText, across []string) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,EmbedFiles", "dg/app").Output()
	require.NoError(t, err)
	exports, own := map[string]string{}, []programPackage{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var pkg programPackage
		require.NoError(t, dec.Decode(&pkg))
		exports[pkg.ImportPath] = pkg.Export
		if strings.HasPrefix(pkg.ImportPath, "dg/") && pkg.ImportPath != "dg/migrations" {
			own = append(own, pkg)
		}
	}
	files := token.NewFileSet()
	compiled := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, pkg := range own {
		r := &textReader{pkg: strings.TrimPrefix(pkg.ImportPath, "dg/")}
		var sources []*ast.File
		for _, name := range pkg.GoFiles {
			file, err := goparser.ParseFile(files, filepath.Join(pkg.Dir, name), nil, 0)
			require.NoError(t, err)
			sources = append(sources, file)
		}
		r.read(t, files, compiled, sources)
		for _, name := range pkg.EmbedFiles {
			if strings.HasSuffix(name, ".sql") {
				sql, err := os.ReadFile(filepath.Join(pkg.Dir, name))
				require.NoError(t, err)
				r.add(name, string(sql))
			}
		}
		texts, across = append(texts, r.texts...), append(across, r.across...)
	}
	return texts, across
}

// textReader finds the texts of a package.
type textReader struct {
	pkg    string
	info   types.Info
	texts  []programText
	across []string
}

// read type-checks the package and reads all of its texts.
func (r *textReader) read(t *testing.T, files *token.FileSet, compiled types.Importer, sources []*ast.File) {
	r.info = types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	_, err := (&types.Config{Importer: compiled}).Check(r.pkg, files, sources, &r.info)
	require.NoError(t, err)
	for _, file := range sources {
		for _, decl := range file.Decls {
			r.declaration(decl)
		}
	}
}

// declaration reads the largest constant expressions of a function or variable. A constant is read where it is used: it may be
// part of a statement.
func (r *textReader) declaration(decl ast.Decl) {
	name := "var"
	switch d := decl.(type) {
	case *ast.FuncDecl:
		name = d.Name.Name
	case *ast.GenDecl:
		if d.Tok == token.CONST {
			return
		}
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return !r.buildsJoin(n, name)
		case ast.Expr:
			if v := r.info.Types[n].Value; v != nil && v.Kind() == constant.String {
				r.add(nameOf(n, name), constant.StringVal(v))
				return false
			}
		}
		return true
	})
}

// buildsJoin reports whether the call adds a table to a statement of gorm's builder, whose text the guard checks when it is
// complete. It also notes AcrossTenants.
func (r *textReader) buildsJoin(call *ast.CallExpr, in string) bool {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	called := r.info.Uses[selector.Sel]
	if called == nil || called.Pkg() == nil {
		return false
	}
	switch called.Pkg().Path() + "." + called.Name() {
	case "dg/platform/postgres.AcrossTenants":
		r.across = append(r.across, r.pkg+"."+in)
	case "gorm.io/gorm.Joins", "gorm.io/gorm.Table":
		return true
	}
	return false
}

// nameOf is the name of a constant that is used, or else of the declaration that uses a text.
func nameOf(e ast.Expr, in string) string {
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return in
}

var statementTag = regexp.MustCompile(`^\s*/\* ([\w.]+) \*/`)

func (r *textReader) add(name, text string) {
	if tag := statementTag.FindStringSubmatch(text); tag != nil {
		name = tag[1]
	} else {
		name = r.pkg + "." + name
	}
	r.texts = append(r.texts, programText{name, text})
}
