package games_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/platform/testkit"
)

// rules.md, Data: every statement that changes a fork gives its organisation a new version.
func TestVersionChangesWithEveryChangeToForks(t *testing.T) {
	t.Parallel()
	b := testkit.New(t)
	const (
		ourOrganisation   = "00000000-0000-4000-8000-00000000000a"
		theirOrganisation = "00000000-0000-4000-8000-00000000000b"
		ourFork           = "00000000-0000-4000-8000-0000000000aa"
	)
	b.AddOrganisation(testkit.Organisation{ID: ourOrganisation})
	b.AddOrganisation(testkit.Organisation{ID: theirOrganisation})
	versions := func() []int64 {
		return testkit.Query[[]int64](b, `select array_agg(version order by id) from organisations`)
	}
	initial := versions()
	b.AddFork(testkit.Fork{OrganisationID: theirOrganisation})
	require.Equal(t, initial[0], versions()[0])
	require.NotEqual(t, initial[1], versions()[1])
	for _, c := range []struct {
		statement string
		want      [2]bool // whether our and their version change
	}{
		{`insert into forks select '` + ourFork + `', '` + ourOrganisation + `', game_id, slug, title, major,
			status, visibility, source_locale, 1, suspended, configuration, created_at, updated_at
			from forks`, [2]bool{true, false}},
		{`update forks set title = 'T' where id = '` + ourFork + `'`, [2]bool{true, false}},
		{`update forks set status = 'archived'`, [2]bool{true, true}},
		{`update forks set status = 'active' where false`, [2]bool{}},
		{`insert into forks select * from forks on conflict (id) do nothing`, [2]bool{}},
		{`insert into forks select * from forks on conflict (id) do update set suspended = true`, [2]bool{true, true}},
		{`delete from forks where id = '` + ourFork + `'`, [2]bool{true, false}},
		{`update games set title = 'T'`, [2]bool{}},
		{`truncate forks cascade`, [2]bool{true, true}},
	} {
		before := versions()
		b.Exec(c.statement)
		after := versions()
		require.Equal(t, c.want, [2]bool{after[0] != before[0], after[1] != before[1]}, c.statement)
	}
}

// PackAnswers does not depend on the order of the results. The packed form never changes, because stored plays have it.
func TestPackedFormIsFixed(t *testing.T) {
	require.Equal(t, []byte{}, games.PackAnswers(nil), "no answers: empty, not null")
	require.Equal(t, []byte{1, 0, 0, 3, 3, 58}, games.PackAnswers([]games.SkillResult{
		{Skill: 29, Attempts: 1}, {Skill: 1, Attempts: 2, Correct: 2}, {Skill: 0, Attempts: 3, Correct: 1},
	}))
	require.LessOrEqual(t, games.SkillSpace*100, 12800, "the bound of the column")
}
