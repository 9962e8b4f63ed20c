package docs

import (
	"html/template"
	"slices"
	"strings"
)

// reference has the operations of the OpenAPI document, as the pages below /docs/reference show
// them. scripts/contract/reference generates it as reference.json.
type reference []operation

type operation struct {
	ID, Path, Summary, Scope string
	Text                     template.HTML
	Request                  string // a curl command
	Parameters               []refField
	MediaType                string // of the 200 response
	Body                     template.HTML
	Fields, Headers          []refField
	Examples                 []command
	Errors                   []refStatus
}

// refField is a parameter, a header or a field of a response.
type refField struct {
	Name, In, Type string
	Required       bool
	Text           template.HTML
	Values         []string // the allowed values; nil: any
	Example        string
}

// refStatus is a response other than 200.
type refStatus struct {
	Status, Code string // Code is the details.code of its examples, or ""
	Text         template.HTML
}

// SampleAnswer returns the first sample response of the operation with the id, or nil.
func (r reference) SampleAnswer(id string) *command {
	i := slices.IndexFunc(r, func(o operation) bool { return o.ID == id })
	if i < 0 || len(r[i].Examples) == 0 {
		return nil
	}
	return &r[i].Examples[0]
}

// HasFork reports whether the operation's path names a fork. Its page then names the example fork.
func (o operation) HasFork() bool { return strings.Contains(o.Path, "{forkId}") }
