package main

import (
	"bytes"
	"encoding/json"
	"iter"
	"log"
	"strings"
)

// jsonValue is a JSON value, or empty if there is none. It keeps the order of members, as the pages need.
type jsonValue json.RawMessage

// get follows the names through nested objects, and returns the last member.
func (v jsonValue) get(names ...string) jsonValue {
	for _, name := range names {
		var object map[string]json.RawMessage
		_ = json.Unmarshal(v, &object) // fails unless v is an object; then there is no member
		v = jsonValue(object[name])
	}
	return v
}

// members yields the members of an object in the document's order.
func (v jsonValue) members() iter.Seq2[string, jsonValue] {
	return func(yield func(string, jsonValue) bool) {
		decoder := json.NewDecoder(bytes.NewReader(v))
		_, _ = decoder.Token() // the opening brace
		for decoder.More() {
			name, _ := decoder.Token()
			var member json.RawMessage
			if decoder.Decode(&member) != nil || !yield(name.(string), jsonValue(member)) {
				return
			}
		}
	}
}

func (v jsonValue) list() (values []jsonValue) {
	var items []json.RawMessage
	_ = json.Unmarshal(v, &items) // fails unless v is a list; then there is no item
	for _, item := range items {
		values = append(values, jsonValue(item))
	}
	return values
}

// text returns a string, or the JSON of another value.
func (v jsonValue) text() string {
	var text string
	if json.Unmarshal(v, &text) != nil {
		return string(v)
	}
	return text
}

func (v jsonValue) isTrue() bool { return string(v) == "true" }

func (v jsonValue) description() string { return markdown(v.get("description").text()) }

type document struct{ jsonValue }

// resolve returns the component to which v refers, or v itself. If the component is missing, it
// ends the process.
func (d document) resolve(v jsonValue) jsonValue {
	ref := v.get("$ref").text()
	if ref == "" {
		return v
	}
	section, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
	component := d.get("components", section, name)
	if len(component) == 0 {
		log.Fatalf("contract: %s: there is no %s", documentFile, ref)
	}
	return component
}

// schema is a schema with the description and nullability that apply where it is used.
type schema struct {
	jsonValue
	description string
	nullable    bool
}

// schema resolves a schema. To describe a component differently in one place, the document wraps it
// in an allOf with one entry.
func (d document) schema(v jsonValue) schema {
	v = d.resolve(v)
	s := schema{v, v.get("description").text(), v.get("nullable").isTrue()}
	if wrapped := v.get("allOf").list(); len(wrapped) == 1 {
		component := d.schema(wrapped[0])
		s.jsonValue = component.jsonValue
		s.nullable = s.nullable || component.nullable
		if s.description == "" {
			s.description = component.description
		}
	}
	return s
}

// fields returns the fields of a schema. The name of a nested field is its path, with [] for a
// list.
func (d document) fields(s schema, path string) (fields []object) {
	if items := s.get("items"); len(items) > 0 {
		return d.fields(d.schema(items), path+"[]")
	}
	for name, property := range s.get("properties").members() {
		name = strings.TrimPrefix(path+"."+name, ".")
		field := d.schema(property)
		fields = append(fields, fieldOf(name, field))
		fields = append(fields, d.fields(field, name)...)
	}
	return fields
}

func fieldOf(name string, s schema) object {
	fieldType := s.get("type").text()
	if format := s.get("format").text(); strings.HasPrefix(format, "date") {
		fieldType = format
	}
	if s.nullable {
		fieldType += " or null"
	}
	f := object{"name": name, "type": fieldType, "text": markdown(s.description)}
	if values := s.get("x-extensible-enum"); len(values) > 0 {
		f["values"] = json.RawMessage(values)
	}
	return f
}
