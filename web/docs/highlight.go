package docs

import (
	"cmp"
	"path"
	"regexp"
	"strings"
)

const keywords = `and|as|async|await|begin|break|case|catch|class|commit|const|continue|copy|create|def|` +
	`delete|do|done|each|else|end|error|except|exit|export|false|fi|finally|for|foreach|func|function|` +
	`if|import|in|insert|into|join|let|library|new|nil|not|null|or|package|raise|read|return|select|set|` +
	`table|then|throw|true|try|update|using|var|view|where|while|with|yield`

// syntaxes are regular expressions for a comment, a string and a keyword, by a file's extension.
var syntaxes = compileSyntaxes()

func compileSyntaxes() map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for comment, extensions := range map[string]string{
		`(?:^|[ \t])#.*`: ".sh .py .R .ps1",
		`//.*`:           ".go .gs .mjs .ts .cs .php .pq",
		`--.*`:           ".sql .psql",
		`\z`:             ".json", // none
	} {
		syntax := regexp.MustCompile(`(?m)(` + comment + `)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|` +
			`(\b(?i:` + keywords + `)\b)`)
		for extension := range strings.FieldsSeq(extensions) {
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
