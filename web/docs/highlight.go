package docs

import (
	"html/template"
	"path"
	"regexp"
	"strings"
)

const keywords = `and|as|async|await|begin|break|case|catch|class|commit|const|continue|copy|create|def|` +
	`delete|do|done|each|else|end|error|except|exit|export|false|fi|finally|for|foreach|func|function|` +
	`if|import|in|insert|into|join|let|library|new|nil|not|null|or|package|raise|read|return|select|set|` +
	`table|then|throw|true|try|update|using|var|view|where|while|with|yield`

// syntaxes are regular expressions for a comment, a string and a keyword, by a file's extension.
var syntaxes = map[string]*regexp.Regexp{}

func init() {
	for comment, extensions := range map[string]string{
		`(?:^|[ \t])#.*`: ".sh .py .R .ps1",
		`//.*`:           ".go .gs .mjs .ts .cs .php .pq",
		`--.*`:           ".sql .psql",
		`\z`:             ".json", // none
	} {
		syntax := regexp.MustCompile(`(?m)(` + comment + `)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|` +
			`(\b(?i:` + keywords + `)\b)`)
		for _, extension := range strings.Fields(extensions) {
			syntaxes[extension] = syntax
		}
	}
}

// highlight marks the comments, strings and keywords of a file's text. A lexer library would add
// 4.8 MB to the program.
func highlight(file, text string) template.HTML {
	syntax := syntaxes[path.Ext(file)]
	if syntax == nil {
		return template.HTML(template.HTMLEscapeString(text))
	}
	var out strings.Builder
	done := 0
	for _, at := range syntax.FindAllStringSubmatchIndex(text, -1) {
		for group, tag := range []string{"i", "span", "b"} {
			if from, to := at[2+2*group], at[3+2*group]; from >= 0 && from < to {
				out.WriteString(template.HTMLEscapeString(text[done:from]))
				out.WriteString("<" + tag + ">" + template.HTMLEscapeString(text[from:to]) + "</" + tag + ">")
				done = to
			}
		}
	}
	out.WriteString(template.HTMLEscapeString(text[done:]))
	return template.HTML(out.String())
}
