package importer

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/games"
)

// pick returns one of the values. The first is the likely one: most plays are to have one fault or
// none.
func pick[T any](random *rand.Rand, values ...T) T {
	return values[max(0, random.IntN(8*len(values))-7*len(values))]
}

func randomPlay(random *rand.Rand) *games.ImportedPlay {
	id := func() uuid.UUID { return pick(random, uuid.New(), uuid.Nil) }
	start := time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)
	first := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	last := time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	p := &games.ImportedPlay{
		ID:        id(),
		ForkID:    id(),
		PlayerID:  id(),
		Skills:    []games.ImportedSkill{},
		StartedAt: pick(random, start, first, first.Add(-1), last, last.Add(-1), time.Time{}),
	}
	if random.IntN(2) == 0 {
		p.CompletedAt = pick(random, new(start.Add(time.Hour)), new(p.StartedAt),
			new(p.StartedAt.Add(-1)), new(time.Time{}), nil)
		p.ScorePercent = pick(random, new(games.Score(8755)), new(games.Score(0)), nil)
		p.Passed = pick(random, new(true), new(false), nil)
	}
	for range random.IntN(4) {
		p.Skills = append(p.Skills, games.ImportedSkill{
			SkillID: pick(random, games.Skill(random.IntN(games.SkillCount)).ID(), "",
				"ai.critical", "AI.CRITICAL.BIAS"),
			Attempts: pick(random, new(int32(2)), new(int32(1)), new(int32(100)), new(int32(101)),
				new(int32(0)), nil),
			Correct: pick(random, new(int32(1)), new(int32(0)), new(int32(2)), new(int32(3)), nil),
			Unknown: pick(random, nil, jsontext.Value(`{"x":1}`)),
		})
	}
	if random.IntN(20) == 0 {
		p.Skills = nil
	}
	return p
}

// A rule that stood in the tags alone would not be applied to plays, and one that stood in Valid
// alone would only slow imports.
func TestPlaysAreValidWhenTheirTagsAre(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	count := map[bool]int{}
	for range 20_000 {
		p := randomPlay(random)
		faults := checks.Faults(p)
		require.Equal(t, len(faults) == 0, p.Valid(), "seed %d: %+v: %v", seed, p, faults)
		count[p.Valid()]++
	}
	require.Greater(t, min(count[true], count[false]), 2_000, "both are drawn often")
}
