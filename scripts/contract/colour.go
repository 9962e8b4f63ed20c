package main

import (
	"bytes"
	"encoding/json"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

const recipesFolder = "web/docs/recipes"

// highlightRecipes returns the programs of /docs as HTML by file, in JSON: comments, strings and keywords are in
// spans.
func highlightRecipes() ([]byte, error) {
	programs := map[string]string{}
	err := filepath.WalkDir(recipesFolder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lexer := lexers.Get(languageOf(path))
		if lexer == nil {
			return nil // the page shows the code without colours
		}
		file, err := filepath.Rel(recipesFolder, path)
		for range maxTries {
			tokens, err := chroma.Coalesce(lexer).Tokenise(nil, strings.TrimSuffix(string(text), "\n"))
			if err != nil {
				return err
			}
			before := programs[file]
			if programs[file] = highlightedSpans(tokens.Tokens()); programs[file] == before {
				break
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	err = encoder.Encode(programs)
	return b.Bytes(), err
}

// maxTries bounds how often a program is coloured until two results agree. chroma gives up the match of
// a rule after 250 ms, so that a busy machine may lose a token.
const maxTries = 10

// languageOf returns chroma's name of a program's language, or "" for a text without colours.
func languageOf(path string) string {
	name, known := map[string]string{
		".gs": "javascript", ".mjs": "javascript", ".psql": "postgres", ".sql": "postgres",
		".ps1": "powershell", ".txt": "",
	}[filepath.Ext(path)]
	switch {
	case strings.HasSuffix(path, ".go.txt"):
		return "go"
	case known:
		return name
	}
	return strings.TrimPrefix(filepath.Ext(path), ".")
}

// highlightedSpans joins adjacent tokens of a class, so that an address in a string stays whole.
func highlightedSpans(tokens []chroma.Token) string {
	var b strings.Builder
	openClass := ""
	for _, t := range tokens {
		class := classOf(t.Type)
		if class != openClass && strings.TrimSpace(t.Value) != "" {
			if openClass != "" {
				b.WriteString("</span>")
			}
			if class != "" {
				b.WriteString("<span class=" + class + ">")
			}
			openClass = class
		}
		b.WriteString(html.EscapeString(t.Value))
	}
	if openClass != "" {
		b.WriteString("</span>")
	}
	return b.String()
}

func classOf(t chroma.TokenType) string {
	switch {
	case t.InCategory(chroma.Comment):
		return "co"
	case t.InSubCategory(chroma.LiteralString):
		return "st"
	case t.InCategory(chroma.Keyword):
		return "ke"
	}
	return ""
}
