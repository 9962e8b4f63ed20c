package docs

import (
	"cmp"
	"path"
	"regexp"
	"strings"
)

const (
	hash   = `(?:^|[ \t])#.*`
	slash  = `//.*`
	dashes = `--.*`
	quoted = `"(?:[^"\\\n]|\\.)*"`
)

// languages are what the highlighter knows of each: the extensions of its files, a regular
// expression for a comment (in JSON, for a field's name), and keywords.
var languages = []struct{ extensions, comment, keywords string }{
	{".json", quoted + `:`, `false null true`},
	{".sh", hash, `case do done elif else esac exit export fi for function if in read set then trap ` +
		`while`},
	{".py", hash, `and as assert break class continue def del elif else except False finally for ` +
		`from global if import in is lambda None not or pass raise return True try while with yield`},
	{".R", hash, `break else FALSE for function if in library NULL repeat return TRUE while`},
	{".ps1", hash, `catch continue else elseif finally for foreach function if in param return ` +
		`switch throw try while`},
	{".gs .mjs .ts", slash, `async await break case catch class const continue else export false ` +
		`finally for function if import in let new null return switch throw true try typeof var ` +
		`while yield`},
	{".go", slash, `break case const continue default defer else false for func go if import ` +
		`interface map nil package range return select struct switch true type var`},
	{".php", slash, `as break case catch class continue echo else elseif false fn for foreach ` +
		`function if new null require return throw true try use while`},
	{".pq", slash, `and as each else error false if in let meta not null or otherwise then true try ` +
		`type`},
	{".sql .psql", dashes, `(?i)and as begin by case commit copy create delete desc distinct do ` +
		`drop else end exists false filter from group if in insert into is join limit not null on ` +
		`or order primary references replace select set table temp temporary then true union update ` +
		`using values variable view when where with`},
}

// syntaxes are regular expressions for a comment, a string and a keyword, by a file's extension.
var syntaxes = compileSyntaxes()

func compileSyntaxes() map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for _, l := range languages {
		keywords := strings.ReplaceAll(l.keywords, " ", "|")
		syntax := regexp.MustCompile(`(?m)(` + l.comment + `)|(` + quoted + `|'(?:[^'\\\n]|\\.)*')|` +
			`(\b(?:` + keywords + `)\b)`)
		for extension := range strings.FieldsSeq(l.extensions) {
			all[extension] = syntax
		}
	}
	return all
}

// piece is a part of a program: a Comment, a String, a Keyword or, with none of them, Text.
type piece struct{ Text, Comment, String, Keyword string }

// Code is the text in pieces, which the template marks. A lexer library would add 4.8 MB to the
// program.
func (c command) Code() (pieces []piece) {
	done := 0
	if syntax := syntaxes[path.Ext(cmp.Or(c.file, ".json"))]; syntax != nil {
		for _, at := range syntax.FindAllStringSubmatchIndex(c.Text, -1) {
			group := func(n int) string { return c.Text[max(at[2*n], 0):max(at[2*n+1], 0)] }
			pieces = append(pieces, piece{c.Text[done:at[0]], group(1), group(2), group(3)})
			done = at[1]
		}
	}
	return append(pieces, piece{Text: c.Text[done:]})
}
