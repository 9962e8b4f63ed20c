package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The scripts run before each request and after the list of forks.
var (
	//go:embed postman_before.js
	beforeEach string
	//go:embed postman_list.js
	afterList string
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

	Components struct {
		Parameters map[string]parameter
		Examples   map[string]struct {
			Summary string
			Value   json.RawMessage
		}
	}
}

type reference struct {
	Ref string `json:"$ref"`
}

// name is that of the component which r points to.
func (r reference) name() string { return r.Ref[strings.LastIndex(r.Ref, "/")+1:] }

type operation struct {
	OperationID          string
	Tags                 []string
	Summary, Description string
	Parameters           []reference
	Responses            map[string]struct {
		Content map[string]struct{ Examples map[string]reference }
	}
}

// postman returns the document as a Postman collection (2.1): a folder for each tag, with a request
// for each operation, and one for what is asked of a group. Scripts fill its variables in, except
// the key.
func postman(served []byte) ([]byte, error) {
	var d document
	if err := json.Unmarshal(served, &d); err != nil {
		return nil, err
	}
	var folders, ofGroups []object
	for _, tag := range d.Tags {
		var requests []object
		for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
			o := d.Paths[path].Get
			if o.Tags[0] != tag.Name {
				continue
			}
			required, all := d.query(o)
			requests = append(requests, d.request(path, o, required))
			if len(all) > len(required) {
				ofGroups = append(ofGroups, d.request(path, o, all))
			}
		}
		if requests != nil { // other tags explain what belongs to no operation alone
			folders = append(folders, object{
				"name": tag.Name, "description": tag.Description, "item": requests,
			})
		}
	}
	folders = append(folders, object{
		"name":        "Reports of a group",
		"description": d.Components.Parameters["GroupId"].Description,
		"item":        ofGroups,
	})
	collection := object{
		"info": object{
			"name": d.Info.Title, "version": d.Info.Version,
			"description": "Set the variable `key` to an API key and send *List the forks*: it " +
				"sets `forkId`. For a group, set `groupId`. The period is the last 28 days " +
				"(UTC), unless you set `from` and `to`.",
			"schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
		},
		"auth": object{
			"type":   "bearer",
			"bearer": []object{{"key": "token", "value": "{{key}}", "type": "string"}},
		},
		"event": []object{
			script("prerequest", beforeEach),
			script("test", `pm.test("is answered 2xx", () => pm.response.to.be.success);`),
		},
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

func script(event, text string) object {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return object{
		"listen": event,
		"script": object{"type": "text/javascript", "exec": lines},
	}
}

// variables are the address, the key, and the parameters of paths and queries.
func (d document) variables() []object {
	all := []object{{"key": "baseUrl", "value": d.Servers[0].URL}, {"key": "key", "value": ""}}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Parameters)) {
		if p := d.Components.Parameters[name]; p.In != "header" {
			all = append(all, object{"key": p.Name, "value": "", "description": p.Description})
		}
	}
	return all
}

// query returns the parameters of the operation's query: the required ones, and all.
func (d document) query(o operation) (required, all []parameter) {
	for _, r := range o.Parameters {
		if p := d.Components.Parameters[r.name()]; p.In == "query" {
			all = append(all, p)
			if p.Required {
				required = append(required, p)
			}
		}
	}
	return required, all
}

func (d document) request(path string, o operation, query []parameter) object {
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
	item := object{
		"name":     o.Summary,
		"request":  object{"method": "GET", "description": o.Description, "url": url},
		"response": d.answers(o, raw),
	}
	if o.OperationID == "listForks" {
		demo := strings.NewReplacer(
			"DEMO_FORK", fmt.Sprint(d.Components.Parameters["ForkId"].Example),
			"DEMO_GROUP", fmt.Sprint(d.Components.Parameters["GroupId"].Example))
		item["event"] = []object{script("test", demo.Replace(afterList))}
	}
	return item
}

// answers returns the examples of an operation.
func (d document) answers(o operation, url string) (saved []object) {
	for mediaType, content := range o.Responses["200"].Content {
		language := strings.TrimPrefix(strings.TrimPrefix(mediaType, "application/"), "text/")
		for _, name := range slices.Sorted(maps.Keys(content.Examples)) {
			e := d.Components.Examples[content.Examples[name].name()]
			var body string
			if json.Unmarshal(e.Value, &body) != nil { // no text: JSON itself
				body = string(e.Value)
			}
			saved = append(saved, object{
				"name": e.Summary, "code": 200, "status": "OK", "body": body,
				"header":                   []object{{"key": "Content-Type", "value": mediaType}},
				"originalRequest":          object{"method": "GET", "url": url},
				"_postman_previewlanguage": language,
			})
		}
	}
	return saved
}
