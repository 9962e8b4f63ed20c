package games_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
)

// specification, 2.4: each skill of the catalogue is found by its id, and no other text is.
// TestEnumsOfAnswersMayGrow compares the ids with those of the document.
func TestSkillCatalogue(t *testing.T) {
	t.Parallel()
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

// The bytes of a play's answers do not depend on the order of the results, and decode to them.
func TestPackAnswers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2026))
	for range 2000 {
		var want [games.SkillCount][2]int // attempts, correct
		var results []games.SkillResult
		for _, skill := range random.Perm(games.SkillCount)[:random.IntN(games.SkillCount+1)] {
			attempts := 1 + random.IntN(1+random.IntN(games.MaxAttempts))
			r := games.SkillResult{
				Skill: games.Skill(skill), Attempts: attempts, Correct: random.IntN(attempts + 1),
			}
			want[skill] = [2]int{r.Attempts, r.Correct}
			results = append(results, r)
		}
		packed := games.PackAnswers(results)
		random.Shuffle(len(results), func(i, j int) {
			results[i], results[j] = results[j], results[i]
		})
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

// The database keeps these bytes: another form would change the meaning of every stored play.
func TestPackedFormIsFixed(t *testing.T) {
	t.Parallel()
	require.Equal(t, []byte{}, games.PackAnswers(nil), "no answers are no bytes, and not null")
	require.Equal(t, []byte{1, 0, 0, 3, 3, 58}, games.PackAnswers([]games.SkillResult{
		{Skill: 29, Attempts: 1},
		{Skill: 1, Attempts: 2, Correct: 2},
		{Skill: 0, Attempts: 3, Correct: 1},
	}))
	require.LessOrEqual(t, games.SkillSpace*games.MaxAttempts, 12800, "the bound of the column")
}
