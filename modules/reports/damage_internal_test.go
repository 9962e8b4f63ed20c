package reports

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports/segment"
)

// plants are corruptions of one sealed row, as SQL with a random number $1 from 0 to a million.
var plants = []struct{ table, set string }{
	{"fork_days", otherByte("sums", "$1 % octet_length(sums)")},
	{"fork_days", otherByte("segment", "$1 % head_bytes")},
	{"fork_days", otherByte("segment", "octet_length(segment) - 1 - $1 % 9")},
	{"fork_days", otherByte("segment", "$1 % octet_length(segment)")},
	{"fork_days", `head_bytes = head_bytes + 1 + $1 % 12`},
	{"fork_days", `head_bytes = head_bytes - 1 - $1 % 12`},
	{"fork_days", `head_bytes = (array[0, -1, 2147483647, -2147483648, 1])[1 + $1 % 5]`},
	{"fork_days", `segment = substr(segment, 1, $1 % octet_length(segment))`},
	{"fork_days", `sums = substr(sums, 1, $1 % octet_length(sums))`},
	{"fork_days", `sums = decode(lpad(to_hex($1 % 256), 2, '0'), 'hex') || substr(sums, 2)`},
	{"fork_days", `segment = decode(lpad(to_hex($1 % 256), 2, '0'), 'hex') || substr(segment, 2)`},
	{"fork_days", `sums = sums || '\x00', segment = segment || '\x00'`},
	{"fork_days", `(sums, segment, head_bytes) = (select o.sums, o.segment, o.head_bytes from fork_days o
		where o.fork_id = fork_days.fork_id and o.day <> fork_days.day order by o.day offset $1 % 50 limit 1)`},
	{"fork_months", otherByte("segment", "$1 % octet_length(segment)")},
	{"fork_months", `segment = substr(segment, 1, $1 % octet_length(segment))`},
	{"fork_months", `head_bytes = (array[head_bytes / 2, head_bytes / 2 + 1, 0, -1, 1, 2147483647,
		-2147483648])[1 + $1 % 7]`},
	{"fork_months", `segment = segment || '\x00'`},
	{"fork_months", `segment = decode(lpad(to_hex($1 % 256), 2, '0'), 'hex') || substr(segment, 2)`},
}

func otherByte(column, at string) string {
	return fmt.Sprintf(
		`%[1]s = set_byte(%[1]s, %[2]s, (get_byte(%[1]s, %[2]s) + 1 + $1 %% 255) %% 256)`, column, at)
}

// None of 160 corruptions leads to a wrong answer: the plays are read instead, until a rebuild seals
// them again.
func TestDamagedSegmentGivesNoWrongAnswer(t *testing.T) {
	e := newEnv(t)
	random := rand.New(rand.NewPCG(rand.Uint64(), 0))
	e.insert(testFrom, 99, 2000)
	e.seal(t)
	reported := 0
	e.reports.OnDamage = func(Query, error) { reported++ }
	e.requireRight(t)
	require.Zero(t, reported)
	rebuilder := newSealer(e.Owner)
	for planted := 0; planted < 160; {
		for range len(plants) / 2 {
			p := plants[planted%len(plants)]
			e.Exec(`with random as (select $1::int), rows as (
				  select ctid, row_number() over (order by ctid) - 1 as i, count(*) over () as n
				    from `+p.table+` where fork_id = '`+testFork+`')
				update `+p.table+` set `+p.set+` where ctid = (select ctid from rows where i = $1 % n)`,
				random.IntN(1_000_001))
			planted++
		}
		e.requireRight(t)
		_, err := rebuilder.Rebuild(t.Context(), time.Minute)
		require.NoError(t, err)
	}
	require.Positive(t, reported)
	reported = 0
	e.requireRight(t)
	require.Zero(t, reported)
	e.agrees(t)
}

// The sealer packs no month from a damaged day. Older months are sealed all the same.
func TestMonthIsNotPackedFromADamagedDay(t *testing.T) {
	e := newSealedEnv(t, 99, 2000)
	e.Exec(`update fork_days set segment = set_byte(segment, 9, get_byte(segment, 9) # 1)
		where fork_id = $1 and day = '2023-12-24'`, testFork)
	e.Exec(`delete from fork_months where fork_id = $1`, testFork)
	_, err := e.sealer.Seal(t.Context())
	require.ErrorIs(t, err, segment.ErrDamaged)
	require.ErrorContains(t, err, "2023-12-24")
	require.Equal(t, 2, e.Count(`fork_months where fork_id = $1`, testFork))
	e.requireRight(t)
}
