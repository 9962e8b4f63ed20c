package docs

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
)

// docsFiles has docs.json (the pages and recipes), reference.json, and the programs of the recipes.
// Programs are files of their own, so that the tests run what the pages show. recipes/start has the
// first requests of /docs.
//
//go:embed docs.json reference.json recipes
var docsFiles embed.FS

// documentation is the content of docs.json and reference.json.
type documentation struct {
	Pages []page // loadDocumentation adds a page for each recipe and operation
	// Languages are the tabs of the first requests (Start). recipes/start has a file for each
	// request in each language.
	Languages  []struct{ ID, Name, Extension string }
	Start      []struct{ ID, Title, Operation string }
	Recipes    []recipe
	Operations reference `json:"-"`
}

// recipe is a program that readers copy, with the steps to run it.
type recipe struct {
	ID, Kind, Name, File string
	Purpose              string          // a sentence for the list of recipes
	ExportsKey           bool            // whether the first step puts the key into the environment
	Steps                []template.HTML // from an empty tool to a result
	Tables               bool            // whether the program reads all forks into tables
	Untested             string          // a sentence on what no test runs; "": all is tested
	// What the program made from the demo's data: a static file, or a text in recipes/. "": none.
	Picture, Output string
}

func loadDocumentation() documentation {
	var d documentation
	decodeFile("docs.json", &d)
	decodeFile("reference.json", &d.Operations)
	for _, r := range d.Recipes {
		d.Pages = append(d.Pages, page{Name: r.Name, Path: "/recipes/" + r.ID, Template: "recipe",
			Parent: "/recipes", Recipe: r})
	}
	for _, o := range d.Operations {
		d.Pages = append(d.Pages, page{Name: o.Summary, Path: "/reference/" + o.ID,
			Template: "operation", Parent: "/reference", Operation: o})
	}
	return d
}

// decodeFile decodes an embedded JSON file. It panics if the file is invalid or has an unknown
// field: every test of the package finds the mistake.
func decodeFile(name string, into any) {
	file, err := docsFiles.Open(name)
	if err == nil {
		decoder := json.NewDecoder(file)
		decoder.DisallowUnknownFields()
		err = decoder.Decode(into)
	}
	if err != nil {
		panic(fmt.Errorf("web: %s: %w", name, err))
	}
}

// command is a text with a copy button. ID is the id of its element.
type command struct{ ID, Label, Text string }

// Program returns a file of recipes/, filled in for the reader. It fails if there is no such file.
func (e examples) Program(file, id, label string) (command, error) {
	text, err := docsFiles.ReadFile("recipes/" + file)
	return e.Command(id, label, strings.TrimSuffix(string(text), "\n")), err
}

// Command returns an example, filled in for the reader.
func (e examples) Command(id, label, text string) command {
	return command{id, label, e.Fill(text)}
}

// Fill replaces the sample ids, days and base URL in an example by the reader's.
func (e examples) Fill(text string) string {
	return strings.NewReplacer("https://dg.example.org", e.base, exampleFork, e.ForkID,
		exampleGroup, e.GroupID, "2024-01-01", e.from, "2025-04-01", e.year,
		"2026-03-01", e.first, "2026-03-02", e.last).Replace(text)
}
