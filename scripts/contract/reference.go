package main

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"
)

// object is an object of reference.json. Fields named text are HTML, except those of examples.
type object map[string]any

// reference returns the content of reference.json: the operations of an OpenAPI document, in the
// form that web/docs/reference.go declares.
func reference(served []byte) ([]byte, error) {
	d := document{gjson.ParseBytes(served)}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	err := encoder.Encode(d.operations())
	return b.Bytes(), err
}

// operations returns the GET operations below /api/, in the document's order.
func (d document) operations() (all []object) {
	for path, methods := range members(d.Get("paths")) {
		if source := methods.Get("get"); source.Exists() && strings.HasPrefix(path, "/api/") {
			all = append(all, d.operation(path, source))
		}
	}
	return all
}

func (d document) operation(path string, source gjson.Result) object {
	o := object{
		"id":      source.Get("operationId").String(),
		"path":    path,
		"summary": source.Get("summary").String(),
		"scope":   source.Get("x-required-scope").String(),
		"text":    description(source),
	}
	var parameters []gjson.Result
	var fields, errors []object
	for _, parameter := range source.Get("parameters").Array() {
		p := d.resolve(parameter)
		parameters = append(parameters, p)
		f := fieldOf(p.Get("name").String(), d.schema(p.Get("schema")))
		f["in"] = p.Get("in").String()
		f["required"] = p.Get("required").Bool()
		f["text"] = description(p)
		f["example"] = p.Get("example").String()
		fields = append(fields, f)
	}
	for code, answer := range members(source.Get("responses")) {
		response := d.resolve(answer)
		if code == "200" {
			d.addAnswer(o, response)
			continue
		}
		errors = append(errors, object{"status": code, "code": d.codeOf(code, response),
			"text": description(response)})
	}
	o["request"] = curl(path, parameters)
	o["parameters"] = fields
	o["errors"] = errors
	return o
}

// addAnswer adds the headers, fields and examples of the 200 response.
func (d document) addAnswer(o object, response gjson.Result) {
	var headers, examples []object
	for name, header := range members(response.Get("headers")) {
		headers = append(headers, object{"name": name, "text": description(d.resolve(header))})
	}
	for mediaType, content := range members(response.Get("content")) {
		schema := d.schema(content.Get("schema"))
		o["mediaType"] = mediaType
		o["body"] = markdown(schema.description)
		o["fields"] = d.fields(schema, "")
		for name, e := range members(content.Get("examples")) {
			answer := d.resolve(e)
			examples = append(examples, object{"id": "example-" + name,
				"label": answer.Get("summary").String(), "text": pretty(answer.Get("value"))})
		}
	}
	o["headers"] = headers
	o["examples"] = examples
}

// codeOf returns the details.code of an error, from its first example. It returns "" for the
// response "default", which has several codes.
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

// curl returns a command that calls the operation, with example values for required parameters.
func curl(path string, parameters []gjson.Result) string {
	options := ""
	for _, p := range parameters {
		name := p.Get("name").String()
		example := p.Get("example").String()
		switch {
		case p.Get("in").String() == "path":
			path = strings.Replace(path, "{"+name+"}", example, 1)
		case p.Get("in").String() == "query" && p.Get("required").Bool():
			options += " -d " + name + "=" + example
		}
	}
	command := "curl -sS"
	if options != "" {
		command += " -G"
		options = " " + options + " \\\n"
	}
	return command + " \\\n  'https://dg.example.org" + path + "' \\\n" + options +
		"  -H @- <<<\"Authorization: Bearer $DG_KEY\""
}
