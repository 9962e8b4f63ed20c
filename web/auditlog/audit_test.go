package auditlog_test

import (
	"dg/platform/testkit"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

var entryRow = regexp.MustCompile(`<tr role="row" id="E(\d+)">`)

// listed returns the ids of the entries on a page.
func listed(t testing.TB, p testkit.Page) []int64 {
	t.Helper()
	ids := []int64{}
	for _, link := range entryRow.FindAllStringSubmatch(p.Body, -1) {
		id, err := strconv.ParseInt(link[1], 10, 64)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return ids
}

// auditedRows returns the rows of the log as text.
func auditedRows(t *testing.T, p testkit.Page) []string {
	t.Helper()
	const row = `(?s)<tr role="row" id="E\d+">\s*<th role="rowheader" scope="row">(.*?)</summary>`
	var all []string
	for _, row := range testkit.Cells(row, p.Is(t, 200).Body) {
		all = append(all, testkit.TextOf(">"+row[0]))
	}
	return all
}
