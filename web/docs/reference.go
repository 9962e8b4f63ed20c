package docs

import (
	"html/template"
	"slices"
	"strings"
)

// reference is decoded from reference.json, which scripts/contract generates.
type reference []operation

type operation struct {
	ID, Path, Summary, Scope string
	Text                     template.HTML
	Request                  string // a curl command
	Parameters               []refField
	MediaType                string // of the 200 response
	Body                     template.HTML
	Fields, Headers          []refField
	Examples                 []snippet
	Errors                   []refStatus
}

type refField struct {
	Name, In, Type string
	Required       bool
	Text           template.HTML
	Values         []string // the allowed values; nil: any
	Example        string
}

type refStatus struct {
	Status, Code string // Code is the details.code of its examples, or ""
	Text         template.HTML
}

func (r reference) SampleAnswer(id string) *snippet {
	i := slices.IndexFunc(r, func(o operation) bool { return o.ID == id })
	if i < 0 || len(r[i].Examples) == 0 {
		return nil
	}
	return &r[i].Examples[0]
}

func (o operation) HasFork() bool { return strings.Contains(o.Path, "{forkId}") }
