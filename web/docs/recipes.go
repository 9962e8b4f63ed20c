package docs

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
)

// docs.json has the contents of the pages' templates. Recipes are real files: the tests run what
// the pages show. recipes/start has the first requests of /docs.
//
//go:embed docs.json reference.json recipes
var docsFiles embed.FS

// documentation is the content of docs.json and reference.json.
type documentation struct {
	Pages []page // those of recipes and operations are added
	// Languages are the tabs of the first requests (Start). Each request has a file for each
	// language.
	Languages  []struct{ ID, Name, Extension string }
	Start      []struct{ ID, Title, Operation string }
	Recipes    []recipe
	Operations reference `json:"-"`
}

// recipe is a program to copy.
type recipe struct {
	ID, Kind, Name, File string
	Purpose              string          // in the list of recipes
	ExportsKey           bool            // whether the first step puts the key into the environment
	Steps                []template.HTML // from nothing to a result
	Tables               bool            // whether it reads all forks into tables
	Untested             string          // what no test runs, or ""
	// What it drew from the demo: a static file, or a text in recipes/. "" for none.
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

// decodeFile reads an embedded file of JSON. A mistake in it panics, as does an unknown field.
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

// command is a text to copy.
type command struct{ ID, Label, Text string }

// Program returns a file of recipes/ as the reader copies it.
func (e examples) Program(file, id, label string) (command, error) {
	text, err := docsFiles.ReadFile("recipes/" + file)
	return e.Command(id, label, strings.TrimSuffix(string(text), "\n")), err
}

// Command returns an example as the reader copies it.
func (e examples) Command(id, label, text string) command {
	return command{id, label, e.Fill(text)}
}

// Fill puts the reader's fork, group, period and the address of this service into an example.
func (e examples) Fill(text string) string {
	return strings.NewReplacer("https://dg.example.org", e.base, exampleFork, e.ForkID,
		exampleGroup, e.GroupID, "2024-01-01", e.from, "2025-04-01", e.year,
		"2026-03-01", e.first, "2026-03-02", e.last).Replace(text)
}
