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

// CONTRIBUTING.md lists exactly the views and columns of this program, on which the API runs.
func TestContributingListsTheViews(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	require.NoError(t, err)
	_, page, _ := strings.Cut(string(text), "\n## Put the API into another program\n")
	page, _, _ = strings.Cut(page, "\n## ")
	row := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (.*) \\|$")
	remark := regexp.MustCompile(`\([^)]*\)`)
	name := regexp.MustCompile("[a-z_]+")
	listed := map[string][]string{}
	for _, cells := range row.FindAllStringSubmatch(page, -1) {
		columns := name.FindAllString(remark.ReplaceAllString(cells[2], ""), -1)
		listed[cells[1]] = slices.Sorted(slices.Values(columns))
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
