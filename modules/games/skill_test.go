package games_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
)

// catalogue is game.SkillId in its order. A skill's place is stored in every play: it
// grows at its end and never moves.
var catalogue = []string{
	"prompting.context", "prompting.constraints", "prompting.examples", "data.quality.duplicates",
	"data.quality.missing", "data.quality.formats", "data.quality.outliers",
	"ai.critical.hallucination", "ai.critical.bias", "ai.critical.verification",
	"ai.usage.good-fit", "ai.usage.personal-data", "ai.usage.accountability",
	"ai.usage.human-review", "ai.usage.right-tool", "data.leadership.incident",
	"data.leadership.privacy", "data.leadership.quality", "data.leadership.value",
	"data.leadership.culture", "data.leadership.ai-adoption", "ai.agents.data-access",
	"ai.agents.tool-permissions", "ai.agents.untrusted-content", "ai.agents.efficiency",
	"data.reading.charts", "data.reading.causation", "data.reading.sampling",
	"data.reading.averages", "data.reading.proportions",
}

// The exact values of game.SkillId.
func TestSkillCatalogue(t *testing.T) {
	t.Parallel()
	require.Len(t, catalogue, games.SkillCount)
	for i, id := range catalogue {
		skill, ok := games.SkillByID(id)
		require.True(t, ok, id)
		require.Equal(t, games.Skill(i), skill, id)
		require.Equal(t, id, skill.ID())
	}
	for _, id := range []string{
		"", "prompting", "prompting.context ", "Prompting.context", "ai.agents",
	} {
		_, ok := games.SkillByID(id)
		require.False(t, ok, "%q", id)
	}
}

// The stored form of answers: any order of the results gives the same bytes, other results give
// others, and the bytes give the results back.
func TestPackAnswers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2026))
	packings := map[string][games.SkillCount][2]int{}
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
		if before, ok := packings[string(packed)]; ok {
			require.Equal(t, want, before, "two different results in the same bytes")
		}
		packings[string(packed)] = want
	}
}

// The bytes are what the database keeps: a change of them would change the meaning of every stored
// play.
func TestPackedFormIsFixed(t *testing.T) {
	t.Parallel()
	require.Equal(t, []byte{}, games.PackAnswers(nil), "no answers are no bytes, and not null")
	require.Equal(t, []byte{1, 0, 0, 3, 3, 58}, games.PackAnswers([]games.SkillResult{
		{Skill: 29, Attempts: 1}, {Skill: 1, Attempts: 2, Correct: 2}, {
			Skill: 0, Attempts: 3, Correct: 1,
		},
	}))
	var most []games.SkillResult
	for skill := range games.SkillCount {
		most = append(most,
			games.SkillResult{Skill: games.Skill(skill), Attempts: games.MaxAttempts})
	}
	require.Len(t, games.PackAnswers(most), games.SkillCount*games.MaxAttempts)
	require.LessOrEqual(t, 128*games.MaxAttempts, 12800,
		"the table's bound holds the largest catalogue")
}
