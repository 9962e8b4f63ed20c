package reports

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// The metadata of a group costs its members, however many plays and members other groups have. In an
// organisation of few groups a generic plan would scan the table of members.
func TestMetadataOfAGroupCostsItsMembers(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.Players(testOrg, 19_960)
	e.group(otherFork, `select i from generate_series(1, 20000) i`)
	e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
		select gen_random_uuid(), $2, $1, 100 + i, $3, '' from generate_series(1, 19000) i`,
		testFork, testOrg, testFrom)
	e.Exec(`vacuum analyze plays`)
	e.Exec(`vacuum analyze group_members`)
	s := newSnapshot(nil, query(testFrom, 1, testGroup), true)
	require.Less(t, e.pages(t, metadataSQL, s.args), 100)
	require.Less(t, e.pages(t, sealedDaysSQL, s.args), 20)
}

// pages returns the number of pages that a statement reads by its generic plan.
func (e *env) pages(t *testing.T, sql string, named pgx.NamedArgs) int {
	sql, args, err := named.RewriteQuery(t.Context(), nil, sql, nil)
	require.NoError(t, err)
	values := make([]string, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case time.Time:
			values[i] = arg.Format("'" + time.RFC3339 + "'")
		case []byte:
			values[i] = fmt.Sprintf(`'\x%x'`, arg)
		case *string:
			values[i] = "'" + *arg + "'"
		default:
			values[i] = fmt.Sprintf("'%v'", arg)
		}
	}
	var text []byte
	err = pgx.BeginFunc(t.Context(), e.Owner.Pool, func(tx pgx.Tx) error {
		for _, do := range []string{
			`set local plan_cache_mode = force_generic_plan`, `deallocate all`,
			`prepare statement as ` + sql,
		} {
			if _, err := tx.Exec(t.Context(), do, pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
		}
		execute := `explain (analyze, buffers, format json) execute statement (` +
			strings.Join(values, ", ") + `)`
		return tx.QueryRow(t.Context(), execute, pgx.QueryExecModeSimpleProtocol).Scan(&text)
	})
	require.NoError(t, err)
	return planOf(t, text).pages()
}
