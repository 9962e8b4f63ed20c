package publicapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"dg/platform/httpserver"
)

// openAPI is generated from openapi.yaml and errors.yaml: `make generate`.
//
//go:embed openapi.json
var openAPI []byte

// serverURL stands in openAPI for the address of the service.
const serverURL = `"http://127.0.0.1:8080"`

// newDocument returns the OpenAPI document of the service at baseURL.
func newDocument(baseURL string) ([]byte, error) {
	url, err := json.Marshal(baseURL)
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(openAPI, []byte(serverURL)); n != 1 {
		return nil, fmt.Errorf("publicapi: openapi.json has %s %d times, not once", serverURL, n)
	}
	return bytes.Replace(openAPI, []byte(serverURL), url, 1), nil
}

// getDocument answers GET /openapi/v1.json. It needs no key.
func (a *API) getDocument(c *fiber.Ctx) error {
	tag := httpserver.ETag(c, string(a.document))
	if httpserver.NotModified(c, tag) {
		return httpserver.SendNotModified(c, tag)
	}
	return httpserver.SendJSON(c, a.document, httpserver.JSONOptions{ETag: tag})
}
