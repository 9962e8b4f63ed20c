package publicapi

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"dg/platform/httpserver"
	"dg/platform/httpserver/body"
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
	if n := bytes.Count(description, []byte(serverURL)); n != 1 {
		return nil, fmt.Errorf("publicapi: a description has %s %d times, not once", serverURL, n)
	}
	return bytes.Replace(description, []byte(serverURL), url, 1), nil
}

// serveDescription answers GET for a description. It needs no key, so it hashes and compresses only
// once.
func serveDescription(description []byte) fiber.Handler {
	sum := sha256.Sum256(description)
	version := string(sum[:])
	gzipped := body.Gzip(description)
	return func(c *fiber.Ctx) error {
		tag := httpserver.ETag(c, version)
		if httpserver.NotModified(c, tag) {
			return httpserver.SendNotModified(c, tag)
		}
		return httpserver.SendJSON(c, description,
			httpserver.JSONOptions{ETag: tag, Gzipped: func() []byte { return gzipped }})
	}
}
