package reports

import (
	"testing"
	"time"

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

// rules.md, Formats: RFC 3339, UTC, three decimals.
func TestInstantsAgreeWithPackageTime(t *testing.T) {
	t.Parallel()
	for _, ms := range []int64{0, 946_684_799_999, 1_709_164_800_120, 7_258_118_399_999} {
		want := time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
		require.Equal(t, want, string(AppendInstant(nil, ms)))
	}
}
