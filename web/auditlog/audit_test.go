package auditlog_test

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/web/internal/webtest"
)

var entryLink = regexp.MustCompile(`href="([^"]*[?&;]entry=(\d+)[^"]*)#entry"`)

// listed are the numbers of the entries on a page of the log, none of which is open.
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

// linkOf is the address behind the words of a page, or "".
func linkOf(p webtest.Page, words string) string {
	found := regexp.MustCompile(`<a [^>]*href="([^"]*)"[^>]*>` + regexp.QuoteMeta(words)).
		FindStringSubmatch(p.Body)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

// auditedRows are the rows of the log as text.
func auditedRows(t *testing.T, p webtest.Page) []string {
	t.Helper()
	p.Is(t, 200)
	var all []string
	for _, row := range webtest.Cells(
		`(?s)<tr role="row"(?: class="open" id="entry")?>\s*<th role="rowheader" scope="row">(.*?)</tr>`,
		p.Body,
	) {
		all = append(all, webtest.Words(">"+strings.ReplaceAll(row[0], `<span class="sr">`, "")))
	}
	return all
}
