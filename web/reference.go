package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// reference is the operations of the OpenAPI document, as the pages below /docs/reference show them.
type reference []operation

type operation struct {
	ID, Path, Summary, Scope string
	Text                     template.HTML
	Parameters               []refField
	MediaType                string // of the answer 200
	Body                     template.HTML
	Fields, Headers          []refField
	Examples                 []command
	Errors                   []refStatus
}

// refField is a parameter, a header or a field of an answer.
type refField struct {
	Name, In, Type string
	Required       bool
	Text           template.HTML
	Values         []string // the only ones
	Example        string
}

// refStatus is an answer other than 200.
type refStatus struct {
	Status, Code string // Code is the details.code of its examples, or ""
	Text         template.HTML
}

// newReference reads the OpenAPI document. Without one there are no operations.
func newReference(document []byte) (reference, error) {
	if document == nil {
		return nil, nil
	}
	var d openAPI
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, fmt.Errorf("web: OpenAPI document: %w", err)
	}
	var all reference
	for _, path := range d.Paths {
		for _, method := range path.Value {
			if method.Name != "get" || !strings.HasPrefix(path.Name, "/api/") {
				continue
			}
			o, err := d.operation(path.Name, method.Value)
			if err != nil {
				return nil, fmt.Errorf("web: OpenAPI document: %s: %w", path.Name, err)
			}
			all = append(all, o)
		}
	}
	return all, nil
}

func (d *openAPI) operation(path string, raw json.RawMessage) (operation, error) {
	source, err := resolve[openAPIOperation](d, raw)
	if err != nil {
		return operation{}, err
	}
	o := operation{ID: source.OperationID, Path: path, Summary: source.Summary, Scope: source.Scope, Text: markdown(source.Description)}
	for _, raw := range source.Parameters {
		p, err := resolve[openAPIParameter](d, raw)
		if err != nil {
			return o, err
		}
		schema, err := d.schema(p.Schema)
		if err != nil {
			return o, err
		}
		f := d.field(p.Name, schema)
		f.In, f.Required, f.Text, f.Example = p.In, p.Required, markdown(p.Description), fmt.Sprint(p.Example)
		o.Parameters = append(o.Parameters, f)
	}
	for _, r := range source.Responses {
		response, err := resolve[openAPIResponse](d, r.Value)
		if err != nil {
			return o, err
		}
		if r.Name != "200" {
			o.Errors = append(o.Errors, refStatus{r.Name, d.codeOf(r.Name, response), markdown(response.Description)})
		} else if err := o.add(d, response); err != nil {
			return o, err
		}
	}
	return o, nil
}

// add takes over the answer 200: its headers, fields and examples.
func (o *operation) add(d *openAPI, response openAPIResponse) error {
	for _, h := range response.Headers {
		header, err := resolve[openAPIParameter](d, h.Value)
		if err != nil {
			return err
		}
		o.Headers = append(o.Headers, refField{Name: h.Name, Text: markdown(header.Description), Example: fmt.Sprint(header.Example)})
	}
	for _, content := range response.Content {
		schema, err := d.schema(content.Value.Schema)
		if err != nil {
			return err
		}
		o.MediaType, o.Body = content.Name, markdown(schema.Description)
		if o.Fields, err = d.fields(content.Value.Schema, "", 0); err != nil {
			return err
		}
		for _, e := range content.Value.Examples {
			example, err := resolve[struct {
				Summary string
				Value   json.RawMessage
			}](d, e.Value)
			if err != nil {
				return err
			}
			o.Examples = append(o.Examples, command{ID: "example-" + e.Name, Label: example.Summary, Text: pretty(example.Value)})
		}
	}
	return nil
}

// codeOf is the details.code of an error, as its first example has it.
func (d *openAPI) codeOf(status string, response openAPIResponse) string {
	if _, err := strconv.Atoi(status); err != nil {
		return "" // default: of several codes
	}
	for _, content := range response.Content {
		for _, e := range content.Value.Examples {
			example, err := resolve[struct {
				Value struct{ Details struct{ Code string } }
			}](d, e.Value)
			if err == nil {
				return example.Value.Details.Code
			}
		}
	}
	return ""
}

// pretty is the value of an example: text as it is, JSON with indents.
func pretty(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return strings.TrimSuffix(text, "\n")
	}
	var b bytes.Buffer
	if json.Indent(&b, value, "", "  ") != nil {
		return string(value)
	}
	return leaf.ReplaceAllStringFunc(b.String(), func(object string) string {
		if line := strings.Join(strings.Fields(object), " "); len(line) < 140 {
			return strings.NewReplacer("{ ", "{", " }", "}").Replace(line)
		}
		return object
	})
}

// leaf is an object without others within it in a list of the outermost object, as json.Indent writes it. A short one takes a line.
var leaf = regexp.MustCompile(`(?m)\{\n {6}[^{}\[\]]*\}`)

// SampleAnswer is the first example of an operation, or "".
func (r reference) SampleAnswer(id string) string {
	i := slices.IndexFunc(r, func(o operation) bool { return o.ID == id })
	if i < 0 || len(r[i].Examples) == 0 {
		return ""
	}
	return r[i].Examples[0].Text
}

// referenceView is the page of an operation, or of all of them.
type referenceView struct {
	layout
	operation
	All  reference
	Curl command
	examples
}

// showReference answers GET /docs/reference, the operations, and GET /docs/reference/:operation, one of them.
func (h *Handler) showReference(c *fiber.Ctx, p *principal) error {
	view := referenceView{layout: newLayout(p, "API reference", areaDocs), All: h.reference}
	view.Sidebar = &sidebar{Label: "Reference", Headed: true, Links: []link{{Name: "Overview", Path: view.Docs("/reference"), Current: c.Params("operation") == ""}}}
	for _, o := range h.reference {
		current := o.ID == c.Params("operation")
		view.Sidebar.Links = append(view.Sidebar.Links, link{Name: o.Summary, Path: view.Docs("/reference/" + o.ID), Current: current})
		if current {
			view.operation = o
		}
	}
	if c.Params("operation") == "" {
		return h.render(c, fiber.StatusOK, "reference", &view)
	}
	if view.ID == "" {
		return fiber.ErrNotFound
	}
	view.Title, view.examples = view.Summary, h.examplesFor(c.UserContext(), p)
	view.Curl = command{ID: "curl", Label: "Request, curl", Text: view.curl()}
	return h.render(c, fiber.StatusOK, "operation", &view)
}

// ExampleOf is the value of a parameter in the examples.
func (v *referenceView) ExampleOf(name string) string {
	for _, p := range v.Parameters {
		if p.Name == name {
			return v.fill(p.Example)
		}
	}
	return ""
}

// HasFork reports whether the operation is about a fork.
func (o operation) HasFork() bool { return strings.Contains(o.Path, "{forkId}") }

// curl is a request for the operation, with the parameters that it requires.
func (v *referenceView) curl() string {
	query := ""
	for _, p := range v.Parameters {
		if p.In == "query" && p.Required {
			query += "&" + p.Name + "=" + p.Example
		}
	}
	if query != "" {
		query = "?" + query[1:]
	}
	path := strings.Replace(v.Path, "{forkId}", exampleFork, 1)
	return v.fill("curl -sS \"https://dg.example.org" + path + query + "\" \\\n  -H \"Authorization: Bearer $DG_KEY\"")
}
