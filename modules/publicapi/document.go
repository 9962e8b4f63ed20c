package publicapi

import (
	"bytes"
	_ "embed"
	"encoding/json"

	"github.com/gofiber/fiber/v2"

	"dg/platform/httpserver"
)

// openAPI describes the API; `make generate` generates it from openapi.yaml, errors.yaml and
// examples.json.
//
//go:embed openapi.json
var openAPI []byte

// serverURL is the placeholder for the service's address.
const serverURL = `"http://127.0.0.1:8080"`

// withServerURL returns the description of the service at baseURL.
func withServerURL(description []byte, baseURL string) ([]byte, error) {
	url, err := json.Marshal(baseURL)
	if err != nil {
		return nil, err
	}
	return bytes.Replace(description, []byte(serverURL), url, 1), nil
}

// serveDocument answers GET /openapi/v1.json. It needs no key.
func (a *API) serveDocument(c *fiber.Ctx) error {
	httpserver.SetRoute(c, documentPath)
	return httpserver.SendFile(c, a.document)
}
