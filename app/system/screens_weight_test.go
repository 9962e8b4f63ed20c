package system

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dg/platform/testkit/browsertest"
)

// What a screen may weigh, all its files together: bytes as transferred, compressed, and as the
// browser unpacks them.
const (
	maxTransferred = 35 << 10
	maxUnpacked    = 90_000
)

// unpacked is the size of the page and its files, uncompressed. A file that was asked for twice,
// ahead of the parser and by it, has two entries.
const unpacked = `[...new Map(performance.getEntriesByType('navigation').concat(performance.getEntriesByType('resource'))
	.map(e => [e.name, e.decodedBodySize])).values()].reduce((sum, size) => sum + size, 0)`

// weigh checks and logs the bytes of the page.
func weigh(t *testing.T, p *browsertest.Page) {
	t.Helper()
	var size int
	p.Eval(unpacked, &size)
	assert.Less(t, p.TransferSize(), maxTransferred, "compressed")
	assert.Less(t, size, maxUnpacked, "uncompressed")
	t.Logf("WEIGHT | %s | %d bytes compressed | %d uncompressed", shortened(p.Path()),
		p.TransferSize(), size)
}
