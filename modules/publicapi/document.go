package publicapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/gofiber/fiber/v2"
	"go.yaml.in/yaml/v3"

	"dg/platform/httpserver"
)

//go:embed openapi.yaml
var openAPI []byte

// document is the OpenAPI document as it is served.
type document struct{ json []byte }

// newDocument turns openapi.yaml into JSON, keys in their order, and says in it where the API is.
func newDocument(baseURL string) (document, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(openAPI, &root); err != nil {
		return document{}, fmt.Errorf("publicapi: openapi.yaml: %w", err)
	}
	server := child(root.Content[0], "servers").Content[0]
	child(server, "url").Value = baseURL
	var b bytes.Buffer
	if err := writeJSON(&b, root.Content[0]); err != nil {
		return document{}, fmt.Errorf("publicapi: openapi.yaml: %w", err)
	}
	return document{json: b.Bytes()}, nil
}

// child returns the value of a key of a mapping.
func child(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return &yaml.Node{Content: []*yaml.Node{{}}}
}

// writeJSON writes a node. yaml's own conversion would sort the keys.
func writeJSON(b *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.AliasNode:
		return writeJSON(b, n.Alias)
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteByte(',')
			}
			key, err := json.Marshal(n.Content[i].Value)
			if err != nil {
				return err
			}
			b.Write(key)
			b.WriteByte(':')
			if err := writeJSON(b, n.Content[i+1]); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeJSON(b, item); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		var value any = n.Value
		if n.Tag != "!!timestamp" { // a day in an example is a text
			if err := n.Decode(&value); err != nil {
				return err
			}
		}
		scalar, err := json.Marshal(value)
		if err != nil {
			return err
		}
		b.Write(scalar)
	}
	return nil
}

// getDocument answers GET /openapi/v1.json. It needs no key.
func (a *API) getDocument(c *fiber.Ctx) error {
	tag := httpserver.ETag(c, string(a.document.json))
	if httpserver.NotModified(c, tag) {
		return httpserver.SendNotModified(c, tag)
	}
	return httpserver.SendJSON(c, a.document.json, httpserver.JSONOptions{ETag: tag})
}
