// Command reference generates web/docs/reference.json, the operations of the API as the pages below
// /docs/reference show them, from the OpenAPI document. It runs in the root of the repository,
// after scripts/contract; scripts/generate.sh calls both.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"regexp"
	"strconv"
	"strings"
)

const (
	documentFile  = "modules/publicapi/openapi.json"
	referenceFile = "web/docs/reference.json"
)

// operation is an operation of the API. Texts are HTML.
type operation struct {
	ID         string    `json:"id"`
	Path       string    `json:"path"`
	Summary    string    `json:"summary"`
	Scope      string    `json:"scope"`
	Text       string    `json:"text"`
	Request    string    `json:"request"` // with curl
	Parameters []field   `json:"parameters"`
	MediaType  string    `json:"mediaType"` // of the answer 200
	Body       string    `json:"body"`
	Fields     []field   `json:"fields"`
	Headers    []field   `json:"headers"`
	Examples   []example `json:"examples"`
	Errors     []status  `json:"errors"`
}

// field is a parameter, a header or a field of an answer.
type field struct {
	Name     string   `json:"name"`
	In       string   `json:"in,omitempty"`
	Type     string   `json:"type,omitempty"`
	Required bool     `json:"required,omitempty"`
	Text     string   `json:"text"`
	Values   []string `json:"values,omitempty"` // the only ones
	Example  string   `json:"example,omitempty"`
}

// example is an answer 200.
type example struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Text  string `json:"text"`
}

// status is an answer other than 200.
type status struct {
	Status string `json:"status"`
	Code   string `json:"code,omitempty"` // the details.code of its examples
	Text   string `json:"text"`
}

func main() {
	log.SetFlags(0)
	if err := generate(); err != nil {
		log.Fatal("reference: ", err)
	}
}

func generate() error {
	source, err := os.ReadFile(documentFile)
	if err != nil {
		return err
	}
	all, err := operations(source)
	if err != nil {
		return fmt.Errorf("%s: %w", documentFile, err)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	return os.WriteFile(referenceFile, b.Bytes(), 0o644)
}

// operations returns the document's operations below /api/, in its order.
func operations(document []byte) ([]operation, error) {
	var d openAPI
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, err
	}
	var all []operation
	for _, path := range d.Paths {
		for _, method := range path.Value {
			if method.Name != "get" || !strings.HasPrefix(path.Name, "/api/") {
				continue
			}
			o, err := d.operation(path.Name, method.Value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path.Name, err)
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
	o := operation{
		ID:      source.OperationID,
		Path:    path,
		Summary: source.Summary,
		Scope:   source.Scope,
		Text:    markdown(source.Description),
	}
	for _, raw := range source.Parameters {
		p, err := resolve[openAPIParameter](d, raw)
		if err != nil {
			return o, err
		}
		schema, err := d.schema(p.Schema)
		if err != nil {
			return o, err
		}
		f := d.fieldOf(p.Name, schema)
		f.In = p.In
		f.Required = p.Required
		f.Text = markdown(p.Description)
		f.Example = fmt.Sprint(p.Example)
		o.Parameters = append(o.Parameters, f)
	}
	o.Request = o.curl()
	for _, r := range source.Responses {
		response, err := resolve[openAPIResponse](d, r.Value)
		if err != nil {
			return o, err
		}
		if r.Name != "200" {
			o.Errors = append(o.Errors,
				status{r.Name, d.codeOf(r.Name, response), markdown(response.Description)})
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
		o.Headers = append(o.Headers, field{Name: h.Name, Text: markdown(header.Description)})
	}
	for _, content := range response.Content {
		schema, err := d.schema(content.Value.Schema)
		if err != nil {
			return err
		}
		o.MediaType = content.Name
		o.Body = markdown(schema.Description)
		if o.Fields, err = d.fields(content.Value.Schema, "", 0); err != nil {
			return err
		}
		for _, e := range content.Value.Examples {
			answer, err := resolve[struct {
				Summary string
				Value   json.RawMessage
			}](d, e.Value)
			if err != nil {
				return err
			}
			o.Examples = append(o.Examples, example{
				ID:    "example-" + e.Name,
				Label: answer.Summary,
				Text:  pretty(answer.Value),
			})
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

// leaf is an object without others within it in a list of the outermost object, as json.Indent
// writes it. A short one takes a line.
var leaf = regexp.MustCompile(`(?m)\{\n {6}[^{}\[\]]*\}`)

// curl is a request for the operation, with the parameters that it requires.
func (o *operation) curl() string {
	path := o.Path
	query := ""
	for _, p := range o.Parameters {
		switch {
		case p.In == "path":
			path = strings.Replace(path, "{"+p.Name+"}", p.Example, 1)
		case p.In == "query" && p.Required:
			query += "&" + p.Name + "=" + p.Example
		}
	}
	if query != "" {
		query = "?" + query[1:]
	}
	return "curl -sS \"https://dg.example.org" + path + query +
		"\" \\\n  -H @- <<<\"Authorization: Bearer $DG_KEY\""
}
