package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// object is an object of reference.json. Fields named text are HTML, except those of examples.
type object map[string]any

// reference returns the content of reference.json: the operations of an OpenAPI document, in the
// form that web/docs/reference.go declares.
func reference(served []byte) ([]byte, error) {
	d := document{jsonValue(served)}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	err := encoder.Encode(d.operations())
	return b.Bytes(), err
}

// operations returns the GET operations below /api/, in the document's order.
func (d document) operations() (operations []object) {
	for path, methods := range d.get("paths").members() {
		if source := methods.get("get"); len(source) > 0 && strings.HasPrefix(path, "/api/") {
			operations = append(operations, d.operation(path, source))
		}
	}
	return operations
}

func (d document) operation(path string, source jsonValue) object {
	op := object{
		"id":      source.get("operationId").text(),
		"path":    path,
		"summary": source.get("summary").text(),
		"scope":   source.get("x-required-scope").text(),
		"text":    source.description(),
	}
	var parameters []jsonValue
	var fields, errors []object
	for _, parameter := range source.get("parameters").list() {
		p := d.resolve(parameter)
		parameters = append(parameters, p)
		f := fieldOf(p.get("name").text(), d.schema(p.get("schema")))
		f["in"] = p.get("in").text()
		f["required"] = p.get("required").isTrue()
		f["text"] = p.description()
		f["example"] = p.get("example").text()
		fields = append(fields, f)
	}
	for status, reference := range source.get("responses").members() {
		response := d.resolve(reference)
		if status == "200" {
			d.addResponse(op, response)
			continue
		}
		errors = append(errors, object{"status": status, "code": d.codeOf(status, response),
			"text": response.description()})
	}
	op["request"] = curl(path, parameters)
	op["parameters"] = fields
	op["errors"] = errors
	return op
}

// addResponse adds the headers, fields and examples of the 200 response.
func (d document) addResponse(op object, response jsonValue) {
	var headers, examples []object
	for name, header := range response.get("headers").members() {
		headers = append(headers, object{"name": name, "text": d.resolve(header).description()})
	}
	for mediaType, content := range response.get("content").members() {
		schema := d.schema(content.get("schema"))
		op["mediaType"] = mediaType
		op["body"] = markdown(schema.description)
		op["fields"] = d.fields(schema, "")
		for name, e := range content.get("examples").members() {
			example := d.resolve(e)
			examples = append(examples, object{"id": fmt.Sprintf("example-%s-%s", op["id"], name),
				"label": example.get("summary").text(), "text": prettyJSON(example.get("value"))})
		}
	}
	op["headers"] = headers
	op["examples"] = examples
}

// codeOf returns the details.code of an error, from its first example. It returns "" for the
// response "default", which has several codes.
func (d document) codeOf(status string, response jsonValue) string {
	if status == "default" {
		return ""
	}
	for _, content := range response.get("content").members() {
		for _, e := range content.get("examples").members() {
			return d.resolve(e).get("value", "details", "code").text()
		}
	}
	return ""
}

// curl returns a command that calls the operation, with example values for required parameters.
func curl(path string, parameters []jsonValue) string {
	fork, options := "", ""
	for _, p := range parameters {
		name := p.get("name").text()
		example := p.get("example").text()
		switch {
		case p.get("in").text() == "path":
			path = strings.Replace(path, "{"+name+"}", "$fork", 1)
			fork = "fork=" + example + "\n"
		case p.get("in").text() == "query" && p.get("required").isTrue():
			options += " -d " + name + "=" + example
		}
	}
	command := fork + "curl -q -sS"
	if options != "" {
		command += " -G"
		options = " " + options + " \\\n"
	}
	return command + " \\\n  \"https://dg.example.org" + path + "\" \\\n" + options +
		"  -H @- <<<\"Authorization: Bearer $DG_KEY\""
}
