package system

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dg/app/apptest"
	"dg/platform/testkit/browsertest"
)

// The reference sends an operation with a key to the address of the page, without the session, and
// stores nothing of the key. The browser logs what the content security policy blocks, which fails
// the test.
func TestReferenceSendsRequestsWithAKey(t *testing.T) {
	t.Parallel()
	address := apptest.FreeAddress(t)
	d := apptest.Launch(t, "serve", "--data-dir", apptest.NewFolder(t), "--addr", address,
		"--ops-addr", "127.0.0.1:0", "--demo",
		"--base-url", "http://localhost:1").UntilServing()
	key := d.DemoToken()
	p := browsertest.New(t)
	p.Open("http://" + address + "/docs") // not the address that the document names
	p.Click(`a:text("Reference")`)
	p.Click(`main a:text("Get the statistics of a fork")`)
	tryWith(p, key)
	assert.Contains(t, p.Text(".answer"), "\n200\n",
		"the fork of the examples is the demo's")
	assert.Contains(t, p.Text(".answer"), "ratelimit: \"key\"")
	looksRight(t, p)
	shoot(t, p, "reference-tried")

	assert.Zero(t, browsertest.Eval[int](p, `localStorage.length + sessionStorage.length`),
		"nothing is kept of the key, for the next reader of this browser")

	p.Open("/docs/reference/listForks")
	tryWith(p, key)
	assert.Contains(t, p.Text(".answer"), "\n200\n")
	assert.Contains(t, p.Text(".answer"), `"items": [`)
}

func tryWith(p *browsertest.Page, key string) {
	p.Click("[data-try] > summary")
	p.Fill("#try-key", key)
	p.Click("[data-try] button.primary")
	p.WaitFor(".answer[data-answered]")
}
