package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// openAPI is what the reference reads of the OpenAPI document. What is raw may be a reference to a
// component.
type openAPI struct {
	Paths      ordered[ordered[json.RawMessage]]
	Components map[string]map[string]json.RawMessage
}

// ordered is an object of JSON whose members keep their order.
type ordered[T any] []pair[T]

type pair[T any] struct {
	Name  string
	Value T
}

// UnmarshalJSON reads an object.
func (o *ordered[T]) UnmarshalJSON(source []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(source))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		var value T
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		*o = append(*o, pair[T]{fmt.Sprint(name), value})
	}
	return nil
}

type openAPIOperation struct {
	OperationID, Summary, Description string
	Scope                             string `json:"x-required-scope"`
	Parameters                        []json.RawMessage
	Responses                         ordered[json.RawMessage]
}

type openAPIParameter struct {
	Name, In, Description string
	Required              bool
	Schema                json.RawMessage
	Example               any
}

type openAPIResponse struct {
	Description string
	Headers     ordered[json.RawMessage]
	Content     ordered[struct {
		Schema   json.RawMessage
		Examples ordered[json.RawMessage]
	}]
}

type openAPISchema struct {
	Type, Format, Description string
	Nullable                  bool
	Enum                      []any `json:"x-extensible-enum"`
	AllOf                     []json.RawMessage
	Items                     json.RawMessage
	Properties                ordered[json.RawMessage]
}

// resolve reads a component, or the value that replaces it.
func resolve[T any](d *openAPI, raw json.RawMessage) (T, error) {
	var ref struct {
		Path string `json:"$ref"`
	}
	var value T
	if err := json.Unmarshal(raw, &ref); err != nil {
		return value, err
	}
	if ref.Path != "" {
		kind, name, _ := strings.Cut(strings.TrimPrefix(ref.Path, "#/components/"), "/")
		if raw = d.Components[kind][name]; raw == nil {
			return value, fmt.Errorf("there is no %s", ref.Path)
		}
	}
	return value, json.Unmarshal(raw, &value)
}

// schema reads a schema. allOf with one entry is how the document describes a component anew where
// it is used.
func (d *openAPI) schema(raw json.RawMessage) (openAPISchema, error) {
	if raw == nil {
		return openAPISchema{}, nil
	}
	s, err := resolve[openAPISchema](d, raw)
	if err == nil && len(s.AllOf) == 1 {
		description := s.Description
		nullable := s.Nullable
		s, err = d.schema(s.AllOf[0])
		s.Nullable = s.Nullable || nullable
		if description != "" {
			s.Description = description
		}
	}
	return s, err
}

// maxDepth bounds how deep fields are listed.
const maxDepth = 5

// fields lists the fields of a schema, those of objects within it by their path.
func (d *openAPI) fields(raw json.RawMessage, path string, depth int) ([]field, error) {
	s, err := d.schema(raw)
	if err != nil || depth > maxDepth {
		return nil, err
	}
	if s.Items != nil {
		return d.fields(s.Items, path+"[]", depth)
	}
	var all []field
	for _, p := range s.Properties {
		name := strings.TrimPrefix(path+"."+p.Name, ".")
		property, err := d.schema(p.Value)
		if err != nil {
			return nil, err
		}
		inner, err := d.fields(p.Value, name, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(append(all, d.fieldOf(name, property)), inner...)
	}
	return all, nil
}

func (d *openAPI) fieldOf(name string, s openAPISchema) field {
	f := field{Name: name, Type: s.Type, Text: markdown(s.Description)}
	if s.Format == "date" || s.Format == "date-time" {
		f.Type = s.Format
	}
	if s.Items != nil {
		f.Type = "array"
	}
	if s.Nullable {
		f.Type += " or null"
	}
	for _, value := range s.Enum {
		f.Values = append(f.Values, fmt.Sprint(value))
	}
	return f
}
