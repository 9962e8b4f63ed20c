package reports

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports/sealer"
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

// otherByte gives a value another byte at a position.
func otherByte(column, at string) string {
	return fmt.Sprintf(
		`%[1]s = set_byte(%[1]s, %[2]s, (get_byte(%[1]s, %[2]s) + 1 + $1 %% 255) %% 256)`, column, at)
}

// plant corrupts one row of the fork.
func (e *env) plant(n, random int) {
	p := plants[n%len(plants)]
	e.Exec(`with random as (select $1::int), rows as (
		  select ctid, row_number() over (order by ctid) - 1 as i, count(*) over () as n
		    from `+p.table+` where fork_id = '`+testFork+`')
		update `+p.table+` set `+p.set+` where ctid = (select ctid from rows where i = $1 % n)`, random)
}

// damageQueries are reports that read sums, months, days and groups.
var damageQueries = []Query{
	query(testFrom, 99, ""),
	query(testFrom, 15, ""),
	query(testFrom.Add(15*day), 84, testGroup),
	query(testFrom, 99, testGroup),
}

// flip flips a bit in a sealed value of the fork's days or months.
func (e *env) flip(table, column string, at int, dates ...string) {
	date := map[string]string{"fork_days": "day", "fork_months": "month"}[table]
	e.Exec(fmt.Sprintf(`update %s set %[2]s = set_byte(%[2]s, $2, get_byte(%[2]s, $2) # 1)
		where fork_id = $1 and %s = any($3::text[]::date[])`, table, column, date), testFork, at, dates)
}

// None of 160 corruptions leads to a wrong answer: damaged segments are read from the plays, and
// sealed again.
func TestDamagedSegmentGivesNoWrongAnswer(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	e.Exec(insertSQL, testFrom, 99, 2000)
	e.seal(t)
	require.Empty(t, e.wrongAnswers(t, damageQueries...))
	wrong := []string{}
	planted := 0
	for planted < 160 {
		for range len(plants) / 2 {
			e.plant(planted, random.IntN(1_000_001))
			planted++
		}
		wrong = append(wrong, e.wrongAnswers(t, damageQueries...)...)
		// as after dg segments rebuild
		e.Exec(
			`insert into unsealed_days select fork_id, day from fork_days where head_bytes <= 0`)
		e.seal(t)
	}
	require.Empty(t, wrong, "%d wrong answers from %d corruptions", len(wrong), planted)
	// no report reads the first month
	_, err := newSealer(e.Owner).Rebuild(t.Context(), time.Minute)
	require.NoError(t, err)
	e.agrees(t)
}

// Damage is reported once, marked as dirty, and sealed again by the next pass.
func TestDamagedSegmentIsMarkedAndSealedAgain(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	var reported []segment.Damage
	e.reports.OnDamage = func(d segment.Damage) { reported = append(reported, d) }
	e.Exec(insertSQL, testFrom, 99, 2000)
	e.seal(t)
	e.flip("fork_days", "sums", 7, "2023-11-25")
	e.flip("fork_days", "segment", 9, "2023-11-26", "2023-12-24")
	e.flip("fork_months", "segment", 9, "2023-12-01")
	require.Empty(t, e.wrongAnswers(t, damageQueries...))
	require.Empty(t, e.wrongAnswers(t, damageQueries...))
	var where []string
	for _, d := range reported {
		where = append(where, fmt.Sprint(d.First.Format(time.DateOnly), d.Month))
	}
	require.ElementsMatch(t, []string{
		"2023-11-25false", "2023-11-26false", "2023-12-01true", "2023-12-24false",
	}, where)
	require.Equal(t, 3, e.count(`select count(*) from unsealed_days`))
	require.Equal(t, 1, e.count(`select count(*) from unsealed_months`))
	require.Equal(t, sealer.Result{Days: 3, Months: 1}, e.seal(t))
	e.agrees(t)
	require.Len(t, reported, 4)
}
