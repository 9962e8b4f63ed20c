package games_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/platform/apperr"
	"dg/platform/testkit"
)

const (
	ourOrganisation   = "00000000-0000-4000-8000-00000000000a"
	theirOrganisation = "00000000-0000-4000-8000-00000000000b"
	unknownID         = "00000000-0000-4000-8000-00000000000c"

	ourFork   = "00000000-0000-4000-8000-0000000000aa"
	theirFork = "00000000-0000-4000-8000-0000000000bb"
)

type fixture struct {
	*testkit.World
	service *games.Service
}

func setup(t *testing.T) fixture {
	t.Parallel()
	b := fixture{World: testkit.New(t)}
	b.service = games.New(b.DB)
	b.AddOrganisation(testkit.Organisation{ID: ourOrganisation})
	b.AddOrganisation(testkit.Organisation{ID: theirOrganisation})
	return b
}

// rules.md, Formats: the list has the organisation's active and archived forks, by createdAt, then id.
func TestForksAreListedInOrder(t *testing.T) {
	b := setup(t)
	id := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", n) }
	for n, milliseconds := range map[int]int{3: 0, 2: 1, 4: 1, 5: 1, 1: 2} {
		at := time.UnixMilli(int64(milliseconds))
		b.AddFork(testkit.Fork{ID: id(n), OrganisationID: ourOrganisation, CreatedAt: at})
		b.AddFork(testkit.Fork{ID: id(n + 10), OrganisationID: theirOrganisation})
	}
	b.Exec(`update forks set status = 'archived' where id = $1`, id(4))
	forks, err := b.service.Forks(t.Context(), ourOrganisation)
	require.NoError(t, err)
	var got []string
	for _, f := range forks {
		require.Equal(t, ourOrganisation, f.OrganisationID)
		got = append(got, f.ID)
	}
	require.Equal(t, []string{id(3), id(2), id(4), id(5), id(1)}, got)
}

// rules.md, Order of checks: only ForkOwner distinguishes a fork of another organisation from an unknown one.
func TestForkOwnerDistinguishesUnknownForks(t *testing.T) {
	b := setup(t)
	b.AddFork(testkit.Fork{ID: ourFork, OrganisationID: ourOrganisation})
	b.AddFork(testkit.Fork{ID: theirFork, OrganisationID: theirOrganisation})
	for id, want := range map[string]string{
		ourFork: ourOrganisation, theirFork: theirOrganisation,
		unknownID: "", "": "", "\x00": "", strings.ToUpper(ourFork): "",
		"' or true --": "", ourOrganisation: "",
	} {
		owner, ownerErr := b.service.ForkOwner(t.Context(), id)
		require.Equal(t, want, owner, id)
		require.Equal(t, want == "", apperr.Is(ownerErr, apperr.NotFound), "%q: %v", id, ownerErr)
		fork, err := b.service.Fork(t.Context(), ourOrganisation, id)
		require.Equal(t, want != ourOrganisation, apperr.Is(err, apperr.NotFound), "%q: %v", id, err)
		require.Equal(t, want == ourOrganisation, fork.ID == ourFork, id)
		require.True(t, want == ourOrganisation || fork == games.Fork{}, id)
	}
}

// rules.md, Data: every statement that changes a fork gives its organisation a new version.
func TestVersionChangesWithEveryChangeToForks(t *testing.T) {
	b := setup(t)
	versions := func() []int64 {
		return testkit.Query[[]int64](b.World, `select array_agg(version order by id) from organisations`)
	}
	first := versions()
	b.AddFork(testkit.Fork{ID: theirFork, OrganisationID: theirOrganisation})
	require.Equal(t, first[0], versions()[0])
	require.NotEqual(t, first[1], versions()[1])
	for _, c := range []struct {
		statement string
		want      [2]bool // whether the versions of ours and theirs change
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
		changed := [2]bool{after[0] != before[0], after[1] != before[1]}
		require.Equal(t, c.want, changed, c.statement)
	}
}

// SkillByID finds each skill of the catalogue by its id. TestEnumsOfResponsesMayGrow compares the ids.
func TestSkillsAreFoundByID(t *testing.T) {
	for i := range games.SkillCount {
		skill, ok := games.SkillByID(games.Skill(i).ID())
		require.True(t, ok, i)
		require.Equal(t, games.Skill(i), skill)
	}
	for _, id := range []string{"", "prompting", "prompting.context ", "Prompting.context"} {
		_, ok := games.SkillByID(id)
		require.False(t, ok, "%q", id)
	}
}

// The packed answers do not depend on the order of the results, and decode to the same results.
func TestPackedAnswersDoNotDependOnOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2026))
	for range 2000 {
		var want [games.SkillCount][2]int // attempts and correct answers by skill
		var results []games.SkillResult
		for _, skill := range random.Perm(games.SkillCount)[:random.IntN(games.SkillCount+1)] {
			attempts := 1 + random.IntN(1+random.IntN(games.MaxAttempts))
			r := games.SkillResult{Skill: games.Skill(skill), Attempts: attempts, Correct: random.IntN(attempts + 1)}
			want[skill] = [2]int{r.Attempts, r.Correct}
			results = append(results, r)
		}
		packed := games.PackAnswers(results)
		random.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
		require.Equal(t, packed, games.PackAnswers(results), "another order of the same results")

		var got [games.SkillCount][2]int
		for _, b := range packed {
			a := games.Answer(b)
			got[a.Skill()][0]++
			if a.Correct() {
				got[a.Skill()][1]++
			}
		}
		require.Equal(t, want, got)
	}
}

// The packed form never changes, because every stored play would change its meaning.
func TestPackedFormIsFixed(t *testing.T) {
	require.Equal(t, []byte{}, games.PackAnswers(nil), "no answers are no bytes, and not null")
	require.Equal(t, []byte{1, 0, 0, 3, 3, 58}, games.PackAnswers([]games.SkillResult{
		{Skill: 29, Attempts: 1}, {Skill: 1, Attempts: 2, Correct: 2}, {Skill: 0, Attempts: 3, Correct: 1},
	}))
	require.LessOrEqual(t, games.SkillSpace*games.MaxAttempts, 12800, "the bound of the column")
}
