package main

import (
	"iter"
	"log"
	"strings"

	"github.com/tidwall/gjson"
)

// document is the OpenAPI document. gjson keeps the order of members, as the pages need.
type document struct{ gjson.Result }

// members yields the members of an object in the document's order.
func members(object gjson.Result) iter.Seq2[string, gjson.Result] {
	return func(yield func(string, gjson.Result) bool) {
		object.ForEach(func(name, value gjson.Result) bool { return yield(name.String(), value) })
	}
}

func description(of gjson.Result) string { return markdown(of.Get("description").String()) }

// resolve returns the component to which v refers, or v itself. If the component is missing, it
// ends the process.
func (d document) resolve(v gjson.Result) gjson.Result {
	ref := v.Get("$ref").String()
	if ref == "" {
		return v
	}
	kind, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
	component := d.Get("components." + kind + "." + gjson.Escape(name))
	if !component.Exists() {
		log.Fatalf("contract: %s: there is no %s", documentFile, ref)
	}
	return component
}

// schema is a schema with the description and nullability that apply where it is used.
type schema struct {
	gjson.Result
	description string
	nullable    bool
}

// schema reads a schema. Where it gives a component another description, allOf has that component
// as its only entry.
func (d document) schema(v gjson.Result) schema {
	v = d.resolve(v)
	s := schema{v, v.Get("description").String(), v.Get("nullable").Bool()}
	if parts := v.Get("allOf").Array(); len(parts) == 1 {
		part := d.schema(parts[0])
		s.Result = part.Result
		s.nullable = s.nullable || part.nullable
		if s.description == "" {
			s.description = part.description
		}
	}
	return s
}

// fields returns the fields of a schema. The name of a nested field is its path, with [] for a
// list.
func (d document) fields(s schema, path string) (all []object) {
	if items := s.Get("items"); items.Exists() {
		return d.fields(d.schema(items), path+"[]")
	}
	for name, property := range members(s.Get("properties")) {
		name = strings.TrimPrefix(path+"."+name, ".")
		of := d.schema(property)
		all = append(all, fieldOf(name, of))
		all = append(all, d.fields(of, name)...)
	}
	return all
}

func fieldOf(name string, s schema) object {
	kind := s.Get("type").String()
	if format := s.Get("format").String(); strings.HasPrefix(format, "date") {
		kind = format
	}
	if s.nullable {
		kind += " or null"
	}
	f := object{"name": name, "type": kind, "text": markdown(s.description)}
	if values := s.Get("x-extensible-enum"); values.Exists() {
		f["values"] = values.Value()
	}
	return f
}
