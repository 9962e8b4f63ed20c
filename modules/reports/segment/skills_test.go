package segment

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
)

// Sums of up to 20 attempts, and large ones, are restored for every skill. Cut ones are refused.
func TestSkillsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	var sums []SkillSums
	for attempts := range int64(21) {
		for correct := range attempts + 1 {
			sums = append(sums, SkillSums{attempts, correct})
		}
	}
	sums = append(sums, SkillSums{1 << 30, 1<<30 - 1}, SkillSums{300, 0})
	for at := range sums {
		var want, got Sums
		for i := 0; i < games.SkillSpace; i += 1 + at%5 {
			want.Skills[i] = sums[(at+i)%len(sums)]
		}
		packed := appendSkills(nil, &want.Skills)
		r := reader{b: packed}
		r.skills(&got)
		require.False(t, r.bad)
		require.Equal(t, want, got)
		for n := range packed {
			r := reader{b: packed[:n]}
			r.skills(&got)
			require.True(t, r.bad, "%d of %d bytes", n, len(packed))
		}
		r = reader{b: append(packed, 0)}
		r.skills(&got)
		require.True(t, r.bad)
	}
}
