package httpserver

import (
	"crypto/rand"

	"github.com/gofiber/fiber/v2"
)

// RequestID is the id of the request, as in the X-Request-Id header of its answer, in the log and in the audit.
func RequestID(c *fiber.Ctx) string { return exchangeOf(c.Context()).id }

// requestID takes the client's own id if it is harmless (decisions, "Other headers"), else a random one.
func requestID(own []byte) string {
	if harmlessID(own) {
		return string(own)
	}
	return rand.Text()
}

// harmlessID is [A-Za-z0-9_-]{8,64}.
func harmlessID(id []byte) bool {
	if len(id) < 8 || len(id) > 64 {
		return false
	}
	for _, b := range id {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '_', b == '-':
		default:
			return false
		}
	}
	return true
}
