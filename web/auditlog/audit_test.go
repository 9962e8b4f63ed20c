package auditlog_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/web/internal/webtest"
)

var entryLink = regexp.MustCompile(`href="([^"]*[?&;]entry=(\d+)[^"]*)#entry"`)

// listed returns the ids of the entries on a page without an open entry.
func listed(t *testing.T, p webtest.Page) []int64 {
	t.Helper()
	ids := []int64{}
	for _, link := range entryLink.FindAllStringSubmatch(p.Body, -1) {
		id, err := strconv.ParseInt(link[2], 10, 64)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return ids
}

// auditedRows returns the rows of the log as text.
func auditedRows(t *testing.T, p webtest.Page) []string {
	t.Helper()
	const row = `(?s)<tr role="row"(?: class="open" id="entry")?>\s*` +
		`<th role="rowheader" scope="row">(.*?)</tr>`
	var all []string
	for _, row := range webtest.Cells(row, p.Is(t, 200).Body) {
		all = append(all, webtest.Words(">"+strings.ReplaceAll(row[0], `<span class="sr">`, "")))
	}
	return all
}

// opened returns the log with one of its rows opened.
func opened(b *webtest.Browser, log string, row int) webtest.Page {
	b.T.Helper()
	return b.Get(b.Get(log).Link(fmt.Sprintf(`Open<span class="sr"> entry %d`, row)))
}
