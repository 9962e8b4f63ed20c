package reports

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, CSV: skillId=correct/attempts in the order of the catalogue, joined by ";".
func TestSkillCells(t *testing.T) {
	t.Parallel()
	for want, answers := range map[string][]byte{
		"":                             nil,
		"prompting.context=1/1":        {1},
		"prompting.context=0/2":        {0, 0},
		"data.reading.proportions=1/1": {29<<1 | 1},
		"prompting.context=1/3;prompting.constraints=2/2;data.reading.proportions=0/1": {
			58, 3, 0, 1, 3, 0,
		},
		// skills of a newer program are left out
		"prompting.examples=1/1": {127 << 1, 5, 30<<1 | 1},
	} {
		require.Equal(t, want, string(appendSkills(nil, answers)))
	}
}
