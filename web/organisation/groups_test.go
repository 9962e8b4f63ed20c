package organisation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// The settings list groups with their ids, 25 a page. More than 20 are searched by name, without case
// and accents.
func TestSettingsListGroupIDs(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	other := w.Organisation("other")
	w.DB.GroupNamed(other.ID, "theirs", w.DB.Players(other.ID, 3)...)
	var want, found [][]string
	for i := range 101 {
		name := fmt.Sprintf("Group %03d", i)
		want = append(want, []string{name, w.DB.GroupNamed(o.ID, name)})
	}
	const row = `<bdi>([^<]*)</bdi></th><td role="cell" class="n" data-label="Members">0</td><td role="cell"><details>.*<span class="id">` +
		`<code id="group-id\d+">([0-9a-f-]{36})</code>`
	first := b.Get(o.At("/settings/organisation")).Has(t, `<span>1–25 of 101</span>`)
	found = testkit.Cells(row, first.Body)
	for p := first; len(found) < len(want); found = append(found, testkit.Cells(row, p.Body)...) {
		p = b.Get(p.Link("Next →"))
	}
	require.Equal(t, want, found)
	w.SignedIn(t, other.Admin).Get(other.At("/settings/organisation")).
		Has(t, `data-label="Members">3</td>`).Lacks(t, `role="search"`)
	for search, want := range map[string]int{"group+07": 10, "GROUP": 50, "theirs": 0} {
		body := b.Get(o.At("/settings/organisation?q=%s", search)).Has(t, `role="search"`).Body
		require.Len(t, testkit.Cells(row, body), want, search)
		require.Equal(t, want == 50, strings.Contains(body, "Only the first 50 matches"))
		require.Equal(t, want == 0, strings.Contains(body, "No group matches."))
	}
}
