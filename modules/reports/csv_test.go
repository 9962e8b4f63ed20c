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
		// what a newer program has stored is left out
		"prompting.examples=1/1": {127 << 1, 5, 30<<1 | 1},
	} {
		require.Equal(t, want, string(csvSkills(nil, answers)))
	}
}

// rules.md, Formats: RFC 3339, UTC, always three decimals.
func TestInstantAndIdentifierCells(t *testing.T) {
	t.Parallel()
	for ms, want := range map[int64]string{
		0:                 "1970-01-01T00:00:00.000Z",
		946_684_799_999:   "1999-12-31T23:59:59.999Z",
		946_684_800_000:   "2000-01-01T00:00:00.000Z",
		1_709_164_800_120: "2024-02-29T00:00:00.120Z",
		7_258_118_399_999: "2199-12-31T23:59:59.999Z",
	} {
		require.Equal(t, want, string(AppendInstant(nil, ms)))
	}
	id := []byte{0, 1, 0x2f, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0xfe, 0xff}
	require.Equal(t, "00012f03-0405-0607-0809-0a0b0c0dfeff", string(csvUUID(nil, id)))
}
