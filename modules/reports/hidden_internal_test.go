package reports

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/modules/reports/snapshot"
)

// What is read before a play costs the members of the group, however many plays others have,
// whether few members played or none, and in an organisation of few groups: there a plan for any
// group would scan the table of members.
func TestMetadataOfAGroupCostsItsMembers(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.exec(t, `insert into players (id, org_id, ordinal, label, display_name)
		select gen_random_uuid(), $1, i, 'P-' || i, 'Player ' || i from generate_series(41, 20000) i`,
		testOrg)
	e.exec(t, `update player_ordinals set last = 20000`)
	e.exec(t, `insert into player_groups (id, org_id, name) values ($1, $2, 'H')`, otherFork,
		testOrg)
	e.exec(t, `insert into group_members select $2, $1, i from generate_series(1, 20000) i`,
		otherFork, testOrg)
	e.exec(t, `insert into plays (id, org_id, fork_id, player, started_at, answers)
		select gen_random_uuid(), $2, $1, 100 + i, $3, '' from generate_series(1, 19000) i`,
		testFork, testOrg, testFrom)
	e.exec(t, `vacuum analyze plays`)
	e.exec(t, `vacuum analyze group_members`)
	from := testFrom.Format(time.DateOnly)
	to := testFrom.AddDate(0, 0, 1).Format(time.DateOnly)
	require.Less(t,
		e.buffersOf(t, snapshot.MetadataSQL, testOrg, testGroup, testFork, from, to, LargeReport),
		100)
	require.Less(t, e.buffersOf(t, snapshot.SealedDaysSQL, testOrg, testGroup, testFork, from, to), 20)
	require.Less(t, e.buffersOf(t, labelSQL+ofMemberPlayers, testOrg, "nominative", testGroup), 100)
}

// buffersOf is how many pages a statement reads by its generic plan.
func (e *env) buffersOf(t *testing.T, sql string, args ...any) int {
	t.Helper()
	values := make([]string, len(args))
	for i, arg := range args {
		values[i] = fmt.Sprintf("'%v'", arg)
	}
	var text []byte
	err := pgx.BeginFunc(t.Context(), e.db.Owner.Pool, func(tx pgx.Tx) error {
		for _, do := range []string{
			`set local plan_cache_mode = force_generic_plan`, `deallocate all`,
			`prepare statement as ` + sql,
		} {
			if _, err := tx.Exec(t.Context(), do, pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
		}
		return tx.QueryRow(t.Context(),
			`explain (analyze, buffers, format json) execute statement (`+
				strings.Join(values, ", ")+
				`)`,
			pgx.QueryExecModeSimpleProtocol).Scan(&text)
	})
	require.NoError(t, err)
	var plans []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &plans))
	return plans[0].Plan.Hit + plans[0].Plan.Read
}
