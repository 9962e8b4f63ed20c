package web

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// docs.json has what the pages of the documentation hold, beside their templates. Recipes are real files: the tests run
// what the page shows. Those in recipes/start are the first requests of /docs.
//
//go:embed docs.json recipes
var docsFiles embed.FS

// documentation is the content of docs.json.
type documentation struct {
	Sections []link // of /docs
	// Languages are the tabs of the first requests, Start. There is a file for each of both.
	Languages []struct{ ID, Name, Extension string }
	Start     []struct{ ID, Title, Operation string }
	Recipes   []recipe
}

// recipe is a program to copy.
type recipe struct {
	ID, Name, File string
	Purpose        string          // in the list of /docs
	ExportsKey     bool            // whether the first step puts the key into the environment
	Steps          []template.HTML // from nothing to a result
	Untested       string          // what no test runs, or ""
}

// loadDocumentation reads docs.json. A field that is not known is a mistake.
func loadDocumentation() (documentation, error) {
	var d documentation
	file, err := docsFiles.Open("docs.json")
	if err != nil {
		return d, err
	}
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return d, fmt.Errorf("web: docs.json: %w", err)
	}
	return d, nil
}

// recipesView is the page of one recipe.
type recipesView struct {
	layout
	recipe
	Tabs []link
	examples
}

// recipe answers GET /docs/recipes/:recipe.
func (h *Handler) recipe(c *fiber.Ctx, p *principal) error {
	all := h.documentation.Recipes
	i := slices.IndexFunc(all, func(r recipe) bool { return r.ID == c.Params("recipe") })
	if i < 0 {
		return fiber.ErrNotFound
	}
	view := recipesView{
		layout: newLayout(p, "Recipe: "+all[i].Name, areaDocs), recipe: all[i], examples: h.examplesFor(c.UserContext(), p),
	}
	for j, r := range all {
		view.Tabs = append(view.Tabs, link{r.Name, view.Docs("/recipes/" + r.ID), i == j})
	}
	return h.render(c, fiber.StatusOK, "recipe", &view)
}

// command is a text to copy.
type command struct{ ID, Label, Text string }

// Program is a file of recipes/ as the reader copies it.
func (e examples) Program(file, id, label string) (command, error) {
	text, err := docsFiles.ReadFile("recipes/" + file)
	return command{ID: id, Label: label, Text: e.fill(strings.TrimSuffix(string(text), "\n"))}, err
}

// fill puts the reader's fork, group, period and the address of this service into an example.
func (e examples) fill(text string) string {
	return strings.NewReplacer("https://dg.example.org", e.base, exampleFork, e.ForkID, exampleGroup, e.GroupID,
		"2024-01-01", e.from, "2026-03-01", e.recent, "2026-03-31", e.to).Replace(text)
}
