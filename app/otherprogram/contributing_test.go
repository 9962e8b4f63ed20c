package otherprogram

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// CONTRIBUTING.md lists the views of this program with exactly their columns: the API runs on those
// and no others.
func TestContributingListsTheViews(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	require.NoError(t, err)
	_, page, _ := strings.Cut(string(text), "\n## Put the API into another program\n")
	page, _, _ = strings.Cut(page, "\n## ")
	inParentheses := regexp.MustCompile(`\([^)]*\)`)
	name := regexp.MustCompile("`([a-z_]+)`")
	listed := map[string][]string{}
	for line := range strings.SplitSeq(page, "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 4 &&
			regexp.MustCompile("^ `[a-z_]+` $").MatchString(cells[1]) {
			var columns []string
			for _, column := range name.FindAllStringSubmatch(
				inParentheses.ReplaceAllString(cells[2], ""), -1,
			) {
				columns = append(columns, column[1])
			}
			listed[strings.Trim(cells[1], " `")] = slices.Sorted(slices.Values(columns))
		}
	}

	db := fixtures.New(t)
	newTenants(db, db.DB)
	rows, err := db.Owner.Pool.Query(t.Context(),
		`select table_name::text, array_agg(column_name::text order by column_name)
		from information_schema.columns join information_schema.views using (table_schema,
		  table_name) where table_schema = 'public' group by 1`)
	require.NoError(t, err)
	views := map[string][]string{}
	view := ""
	columns := []string(nil)
	_, err = pgx.ForEachRow(rows, []any{&view, &columns}, func() error {
		views[view] = slices.Sorted(slices.Values(columns))
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, views, listed)
}
