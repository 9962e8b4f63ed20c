package docs

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
)

//go:embed coloured.json docs.json privacy.json reference.json recipes
var docsFiles embed.FS

type documentation struct {
	Pages []page // loadDocumentation adds one for each privacy notice, recipe and operation
	// recipes/start has a file for each request of Start in each of Languages. Save has the options
	// with which curl saves the response.
	Languages  []struct{ ID, Name, Extension string }
	Start      []struct{ ID, Title, Operation, Save string }
	Clients    []struct{ ID, Name, File, Source, Needs string }
	Recipes    []recipe
	Operations reference `json:"-"`
}

// colouredPrograms has the HTML of programs by file; scripts/contract generates it.
var colouredPrograms = func() (programs map[string]string) {
	decodeFile("coloured.json", &programs)
	return programs
}()

type recipe struct {
	ID, Kind, Name, File string
	Purpose              string          // a sentence in the list of recipes
	ExportsKey           bool            // whether the first step exports the key as an environment variable
	Steps                []template.HTML // in order, from installation to the first result
	Tables               bool            // whether the program reads all forks into tables
	Untested             string          // a sentence on what no test runs, or ""
	// Picture and Output are the program's result for the demo, or "": a static file, and a text in
	// recipes/.
	Picture, Output string
	// Keeps says which of the API's promises a tool keeps, and how it handles changes. It is nil for
	// a program that reads everything again.
	Keeps *struct{ Players, Names, Hidden, Erased, Renamed, Revoked, Down string }
}

func loadDocumentation() documentation {
	var d documentation
	decodeFile("docs.json", &d)
	decodeFile("reference.json", &d.Operations)
	d.Pages = append(d.Pages, privacyPages()...)
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

// decodeFile panics on an invalid file or an unknown field, which fails any test that calls New.
func decodeFile(name string, into any) {
	file, err := docsFiles.ReadFile(name)
	if err != nil {
		panic(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(file))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		panic(fmt.Errorf("web: %s: %w", name, err))
	}
}

type snippet struct {
	ID, Label, Text string
	Coloured        template.HTML // Text in colour, or ""
}

func (s snippet) Lines() int { return 1 + strings.Count(s.Text, "\n") }

func (e examples) Program(file, id, label string) (snippet, error) {
	text, err := docsFiles.ReadFile("recipes/" + file)
	s := e.Snippet(id, label, strings.TrimSuffix(string(text), "\n"))
	s.Coloured = template.HTML(e.Fill(colouredPrograms[file])) //nolint:gosec // the values of Fill need no escape
	return s, err
}

func (e examples) Snippet(id, label, text string) snippet {
	return snippet{ID: id, Label: label, Text: e.Fill(text)}
}

func (e examples) Fill(text string) string {
	return strings.NewReplacer("https://dg.example.org", e.baseURL, exampleForkID, e.ForkID,
		exampleGroupID, e.GroupID, "2024-01-01", e.historyStart, "2025-04-01", e.yearAgo,
		exampleFirstDay, e.firstDay, exampleLastDay, e.lastDay).Replace(text)
}
