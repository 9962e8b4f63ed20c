package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/browsertest"
)

// The reference is served offline under the strict policy, lists the operations, and a request can be
// tried with a key. A page complains of whatever the policy blocks, which fails the test.
func TestReferenceSendsRequestsWithAKey(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	d := launch(t, "serve", "--data-dir", newFolder(t), "--addr", address, "--ops-addr", "127.0.0.1:0", "--demo",
		"--base-url", "https://dg.example.org").untilServing()
	key := demoToken(t, d)
	p := browsertest.New(t)
	p.Open("http://" + address + "/docs") // not the address that the document names
	p.Click(`a:text("browse the reference")`)
	p.WaitFor(".opblock-tag-section")
	assert.Equal(t, []string{
		"/api/v1/forks", "/api/v1/forks/{forkId}", "/api/v1/forks/{forkId}/stats", "/api/v1/forks/{forkId}/exports/csv",
	}, withoutBreaks(p.Texts(".opblock-summary-path")))

	p.Click("button.authorize")
	looksRight(t, p)
	p.Fill(`.modal-ux input[type=text]`, key)
	p.Click(`.modal-ux button.authorize`)
	p.Click(`.modal-ux button.btn-done`)
	p.Click(`#operations-Forks-listForks button.opblock-summary-control`)
	p.Click(`#operations-Forks-listForks .try-out__btn`)
	p.Click(`#operations-Forks-listForks button.execute`)
	p.WaitFor(`#operations-Forks-listForks .live-responses-table .response-col_status`)
	require.Contains(t, p.Text(`#operations-Forks-listForks .live-responses-table tbody .response-col_status`), "200")
	assert.Contains(t, p.Text(`#operations-Forks-listForks .live-responses-table tbody .response-col_description`), `"items"`)

	var kept int // of the key, for the next reader of this browser
	p.Eval(`localStorage.length + sessionStorage.length`, &kept)
	assert.Zero(t, kept)

	looksRight(t, p)
	shoot(p, "reference-tried")
}
