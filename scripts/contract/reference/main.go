// Command reference generates web/docs/reference.json, the operations of the API as the pages below
// /docs/reference show them, from the OpenAPI document. It runs in the root of the repository,
// after scripts/contract; scripts/generate.sh calls both.
package main

import (
	"bytes"
	"encoding/json"
	"log"
	"os"
	"strings"

	"github.com/tidwall/gjson"
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
	d := document{gjson.ParseBytes(source)}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(d.operations()); err != nil {
		return err
	}
	return os.WriteFile(referenceFile, b.Bytes(), 0o644)
}

// operations returns the document's operations below /api/, in its order.
func (d document) operations() (all []operation) {
	for path, methods := range members(d.Get("paths")) {
		if source := methods.Get("get"); source.Exists() && strings.HasPrefix(path, "/api/") {
			all = append(all, d.operation(path, source))
		}
	}
	return all
}

func (d document) operation(path string, source gjson.Result) operation {
	o := operation{
		ID:      source.Get("operationId").String(),
		Path:    path,
		Summary: source.Get("summary").String(),
		Scope:   source.Get("x-required-scope").String(),
		Text:    description(source),
	}
	for _, parameter := range source.Get("parameters").Array() {
		p := d.resolve(parameter)
		f := fieldOf(p.Get("name").String(), d.schema(p.Get("schema")))
		f.In = p.Get("in").String()
		f.Required = p.Get("required").Bool()
		f.Text = description(p)
		f.Example = p.Get("example").String()
		o.Parameters = append(o.Parameters, f)
	}
	o.Request = o.curl()
	for code, answer := range members(source.Get("responses")) {
		response := d.resolve(answer)
		if code == "200" {
			d.addAnswer(&o, response)
			continue
		}
		o.Errors = append(o.Errors, status{code, d.codeOf(code, response), description(response)})
	}
	return o
}

// addAnswer adds the answer 200: its headers, fields and examples.
func (d document) addAnswer(o *operation, response gjson.Result) {
	for name, header := range members(response.Get("headers")) {
		o.Headers = append(o.Headers, field{Name: name, Text: description(d.resolve(header))})
	}
	for mediaType, content := range members(response.Get("content")) {
		schema := d.schema(content.Get("schema"))
		o.MediaType = mediaType
		o.Body = markdown(schema.description)
		o.Fields = d.fields(schema, "")
		for name, e := range members(content.Get("examples")) {
			answer := d.resolve(e)
			o.Examples = append(o.Examples, example{
				ID:    "example-" + name,
				Label: answer.Get("summary").String(),
				Text:  pretty(answer.Get("value")),
			})
		}
	}
}

// codeOf is the details.code of an error, as its first example has it. The answer "default" has
// several codes.
func (d document) codeOf(status string, response gjson.Result) string {
	if status == "default" {
		return ""
	}
	for _, content := range members(response.Get("content")) {
		for _, e := range members(content.Get("examples")) {
			return d.resolve(e).Get("value.details.code").String()
		}
	}
	return ""
}

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
