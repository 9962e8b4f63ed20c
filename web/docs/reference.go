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
	Request                  string // an example as a curl command
	Parameters               []referenceField
	MediaType                string // media type of the 200 response
	Body                     template.HTML
	Fields, Headers          []referenceField
	Examples                 []snippet
	Errors                   []referenceStatus
}

type referenceField struct {
	Name, In, Type string
	Required       bool
	Text           template.HTML
	Values         []string // the allowed values, or nil for any
	Example        string
}

// Parent is the list that has the field, such as "players[].", or "". Leaf is the field's name in it.
func (f referenceField) Parent() string { return f.Name[:strings.LastIndex(f.Name, ".")+1] }
func (f referenceField) Leaf() string   { return f.Name[len(f.Parent()):] }

type referenceStatus struct {
	Status, Code string // Code is the details.code of its examples, or ""
	Text         template.HTML
}

// Get returns the operation with the id. It panics if there is none.
func (r reference) Get(id string) operation {
	return r[slices.IndexFunc(r, func(o operation) bool { return o.ID == id })]
}

func (o operation) HasFork() bool { return strings.Contains(o.Path, "{forkId}") }
