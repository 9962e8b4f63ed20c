package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// object keeps the collection's fields in a fixed order: the keys of a map are sorted.
type object = map[string]any

// parameter is a parameter of an operation, in the document's components.
type parameter struct {
	Name, In, Description string
	Required              bool
	Example               any
}

// document is what the collection takes from the OpenAPI document.
type document struct {
	Info struct {
		Title, Version string
	}
	Servers []struct{ URL string }
	Tags    []struct{ Name, Description string }
	Paths   map[string]struct{ Get operation }

	Components struct{ Parameters map[string]parameter }
}

type operation struct {
	Tags                 []string
	Summary, Description string
	Parameters           []struct {
		Ref string `json:"$ref"`
	}
}

// postman returns the document as a Postman collection (2.1): a folder for each tag, and a request
// for each operation. Its variables have the examples of the parameters, which are of the demo. The
// key is to be filled in.
func postman(served []byte) ([]byte, error) {
	var d document
	if err := json.Unmarshal(served, &d); err != nil {
		return nil, err
	}
	var folders []object
	for _, tag := range d.Tags {
		var requests []object
		for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
			if d.Paths[path].Get.Tags[0] == tag.Name {
				requests = append(requests, d.requests(path, d.Paths[path].Get)...)
			}
		}
		if requests == nil { // a tag that explains what belongs to no operation alone
			continue
		}
		folders = append(folders, object{
			"name":        tag.Name,
			"description": tag.Description,
			"item":        requests,
		})
	}
	collection := object{
		"info": object{
			"name": d.Info.Title, "version": d.Info.Version,
			"description": "Set the variable `key` to an API key. The ids are those of the demo: " +
				"take yours from the list of forks.",
			"schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
		},
		"auth": object{
			"type":   "bearer",
			"bearer": []object{{"key": "token", "value": "{{key}}", "type": "string"}},
		},
		"event": []object{{
			"listen": "test",
			"script": object{"type": "text/javascript", "exec": []string{
				`pm.test("is answered 2xx", () => pm.response.to.be.success);`,
			}},
		}},
		"variable": d.variables(),
		"item":     folders,
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	err := encoder.Encode(collection)
	return b.Bytes(), err
}

// variables are the address, the key, and the parameters of paths and queries.
func (d document) variables() []object {
	all := []object{{"key": "baseUrl", "value": d.Servers[0].URL}, {"key": "key", "value": ""}}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Parameters)) {
		if p := d.Components.Parameters[name]; p.In != "header" {
			all = append(all, object{
				"key":         p.Name,
				"value":       p.Example,
				"description": p.Description,
			})
		}
	}
	return all
}

// requests are an operation with what it requires and, where its query has more, with all of it.
func (d document) requests(path string, o operation) []object {
	var short, long []parameter
	for _, reference := range o.Parameters {
		p := d.Components.Parameters[strings.TrimPrefix(reference.Ref, "#/components/parameters/")]
		if p.In == "query" {
			long = append(long, p)
			if p.Required {
				short = append(short, p)
			}
		}
	}
	all := []object{request(o.Summary, path, o, short)}
	if len(long) > len(short) {
		all = append(all, request(o.Summary+", for one group", path, o, long))
	}
	return all
}

func request(name, path string, o operation, query []parameter) object {
	path = strings.NewReplacer("{", "{{", "}", "}}").Replace(path)
	var fields []object
	var pairs []string
	for _, p := range query {
		value := "{{" + p.Name + "}}"
		fields = append(fields, object{"key": p.Name, "value": value, "description": p.Description})
		pairs = append(pairs, p.Name+"="+value)
	}
	raw := "{{baseUrl}}" + path
	if len(pairs) > 0 {
		raw += "?" + strings.Join(pairs, "&")
	}
	url := object{"raw": raw, "host": []string{"{{baseUrl}}"}, "path": strings.Split(path, "/")[1:]}
	if fields != nil {
		url["query"] = fields
	}
	return object{
		"name":    name,
		"request": object{"method": "GET", "description": o.Description, "url": url},
	}
}
