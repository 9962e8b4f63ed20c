package reports

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/org"
	"dg/platform/limiter"
)

// plants are ways in which what is sealed goes bad, as SQL with a random number $1 from 0 to a million. Each changes one row.
var plants = []struct{ table, set string }{
	{"fork_days", `sums = set_byte(sums, $1 % octet_length(sums), (get_byte(sums, $1 % octet_length(sums)) + 1 + $1 % 255) % 256)`},
	{"fork_days", `segment = set_byte(segment, $1 % head_bytes, (get_byte(segment, $1 % head_bytes) + 1 + $1 % 255) % 256)`},
	{"fork_days", `segment = set_byte(segment, octet_length(segment) - 1 - $1 % 9, (get_byte(segment, octet_length(segment) - 1 - $1 % 9) + 1 + $1 % 255) % 256)`},
	{"fork_days", `segment = set_bit(segment, $1 % (8 * octet_length(segment)), 1 - get_bit(segment, $1 % (8 * octet_length(segment))))`},
	{"fork_days", `head_bytes = head_bytes + 1 + $1 % 12`},
	{"fork_days", `head_bytes = head_bytes - 1 - $1 % 12`},
	{"fork_days", `head_bytes = (array[0, -1, 2147483647, -2147483648, 1])[1 + $1 % 5]`},
	{"fork_days", `segment = substr(segment, 1, $1 % octet_length(segment))`},
	{"fork_days", `sums = substr(sums, 1, $1 % octet_length(sums))`},
	{"fork_days", `sums = decode(lpad(to_hex($1 % 256), 2, '0'), 'hex') || substr(sums, 2)`},
	{"fork_days", `segment = decode(lpad(to_hex($1 % 256), 2, '0'), 'hex') || substr(segment, 2)`},
	{"fork_days", `sums = sums || '\x00', segment = segment || '\x00'`},
	{"fork_days", `(sums, segment, head_bytes) = (select o.sums, o.segment, o.head_bytes from fork_days o where o.fork_id = fork_days.fork_id and o.day <> fork_days.day order by o.day offset $1 % 50 limit 1)`},
	{"fork_months", `segment = set_byte(segment, $1 % octet_length(segment), (get_byte(segment, $1 % octet_length(segment)) + 1 + $1 % 255) % 256)`},
	{"fork_months", `segment = substr(segment, 1, $1 % octet_length(segment))`},
	{"fork_months", `segment = decode(lpad(to_hex($1 % 256), 2, '0'), 'hex') || substr(segment, 2)`},
}

// plant makes one row of the fork bad.
func (f *field) plant(t *testing.T, n, random int) {
	t.Helper()
	p := plants[n%len(plants)]
	key := map[string]string{"fork_days": "day", "fork_months": "month"}[p.table]
	f.exec(t, `with random as (select $1::int) update `+p.table+` set `+p.set+` where fork_id = '`+fieldFork+`' and `+key+` = (
		select `+key+` from `+p.table+` where fork_id = '`+fieldFork+`' order by `+key+` offset $1 % (select count(*) from `+p.table+` where fork_id = '`+fieldFork+`') limit 1)`, random)
}

// wrongAnswers compares reports, as they are answered, with the plays alone, and returns those that differ or fail.
func (f *field) wrongAnswers(t *testing.T, q ...Query) (wrong []string) {
	t.Helper()
	label := func(ordinal int32) string { return fmt.Sprintf("Player %d", ordinal) }
	for _, q := range q {
		s, err := open(t.Context(), f.db.DB, q, false)
		require.NoError(t, err)
		truth := newTally(q.Period)
		require.NoError(t, s.plays(t.Context(), []time.Time{q.Period.From}, []time.Time{q.Period.End()}, truth.add))
		want := truth.statistics(label)
		want.ReportingMode = org.Nominative
		s.close()
		got, err := f.reports.Statistics(t.Context(), q, func(l *limiter.Lease) { defer l.Release() })
		if err != nil || !assert.ObjectsAreEqual(want, got) {
			wrong = append(wrong, fmt.Sprintf("%s (group %q): %d plays instead of %d, error %v", q.Period, q.GroupID, got.Plays, want.Plays, err))
		}
		listed, err := f.reports.PlaysOfForks(t.Context(), fieldOrg, q.Period)
		if q.GroupID == "" && (err != nil || listed[fieldFork] != want.Plays) {
			wrong = append(wrong, fmt.Sprintf("%s: %d plays in the list instead of %d, error %v", q.Period, listed[fieldFork], want.Plays, err))
		}
	}
	return wrong
}

// damageQueries are reports that read sums, months, days and groups.
var damageQueries = []Query{
	{OrganisationID: fieldOrg, ForkID: fieldFork, Period: Period{From: fieldFrom, Days: 99}},
	{OrganisationID: fieldOrg, ForkID: fieldFork, Period: Period{From: fieldFrom, Days: 15}},
	{OrganisationID: fieldOrg, ForkID: fieldFork, Period: Period{From: fieldFrom.Add(15 * day), Days: 84}, GroupID: fieldGroup},
	{OrganisationID: fieldOrg, ForkID: fieldFork, Period: Period{From: fieldFrom, Days: 99}, GroupID: fieldGroup},
}

// What is damaged is read from the plays: of 160 planted corruptions none leads to a wrong answer. Then it is sealed again.
func TestDamageGivesNoWrongAnswer(t *testing.T) {
	t.Parallel()
	f := newField(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	f.exec(t, insertSQL, fieldFrom, 99, 2000)
	f.seal(t)
	require.Empty(t, f.wrongAnswers(t, damageQueries...))
	wrong, planted := []string{}, 0
	for planted < 160 {
		for range len(plants) / 2 {
			f.plant(t, planted, random.IntN(1_000_001))
			planted++
		}
		wrong = append(wrong, f.wrongAnswers(t, damageQueries...)...)
		f.exec(t, `insert into unsealed_days select fork_id, day from fork_days where head_bytes <= 0`) // as after dg segments rebuild
		f.seal(t)
	}
	require.Empty(t, wrong, "%d wrong answers from %d corruptions", len(wrong), planted)
	_, err := NewSealer(f.db.Owner, f.sealer.now, f.sealer.log, 0).Rebuild(t.Context(), time.Minute) // of the first month no report reads
	require.NoError(t, err)
	f.agrees(t)
}

// Damage is told once, marked, and sealed again with the next pass. What is only said to be a day of too many plays is read
// right, and found by verify.
func TestDamageIsMarkedAndSealedAgain(t *testing.T) {
	t.Parallel()
	f := newField(t)
	var told []Damage
	f.reports.OnDamage = func(d Damage) { told = append(told, d) }
	f.exec(t, insertSQL, fieldFrom, 99, 2000)
	f.seal(t)
	f.exec(t, `update fork_days set sums = set_byte(sums, 7, get_byte(sums, 7) # 1) where fork_id = $1 and day = '2023-11-25'`, fieldFork)
	f.exec(t, `update fork_days set segment = set_byte(segment, 9, get_byte(segment, 9) # 1) where fork_id = $1 and day = '2023-11-26'`, fieldFork)
	f.exec(t, `update fork_months set segment = set_byte(segment, 9, get_byte(segment, 9) # 1) where fork_id = $1 and month = '2023-12-01'`, fieldFork)
	f.exec(t, `update fork_days set segment = set_byte(segment, 9, get_byte(segment, 9) # 1) where fork_id = $1 and day = '2023-12-24'`, fieldFork)
	f.exec(t, `update fork_days set head_bytes = 0 where fork_id = $1 and day = '2024-01-05'`, fieldFork)
	require.Empty(t, f.wrongAnswers(t, damageQueries...))
	require.Empty(t, f.wrongAnswers(t, damageQueries...))
	require.ElementsMatch(t, []Damage{
		{fieldFork, Period{time.Date(2023, 11, 25, 0, 0, 0, 0, time.UTC), 1}}, {fieldFork, Period{time.Date(2023, 11, 26, 0, 0, 0, 0, time.UTC), 1}},
		{fieldFork, Period{time.Date(2023, 12, 1, 0, 0, 0, 0, time.UTC), 31}}, {fieldFork, Period{time.Date(2023, 12, 24, 0, 0, 0, 0, time.UTC), 1}},
	}, told)
	require.Equal(t, 3, f.count(t, `select count(*) from unsealed_days`))
	require.Equal(t, 1, f.count(t, `select count(*) from unsealed_months`))
	wrong, err := f.sealer.Verify(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"fork " + fieldFork + ", 2024-01-05_2024-01-05: the segment is not what the plays say"}, wrong)
	require.Equal(t, Sealed{Days: 3, Months: 1}, f.seal(t))
	f.exec(t, `insert into unsealed_days values ($1, '2024-01-05')`, fieldFork)
	f.seal(t)
	f.agrees(t)
	require.Len(t, told, 4)
}

// An answer needs nothing written: where the role may not mark what is damaged, it is read from the plays each time. The
// sealer meets damage, too: it tells of it, and packs a month of a damaged day right.
func TestDamageWithoutMarks(t *testing.T) {
	t.Parallel()
	f := newField(t)
	told := 0
	f.reports.OnDamage = func(Damage) { told++ }
	f.exec(t, insertSQL, fieldFrom, 99, 2000)
	f.seal(t)
	f.exec(t, `update fork_days set segment = set_byte(segment, 9, get_byte(segment, 9) # 1) where fork_id = $1 and day in ('2023-11-26', '2023-12-24')`, fieldFork)
	f.exec(t, `update fork_days set sums = set_byte(sums, 7, get_byte(sums, 7) # 1) where fork_id = $1 and day = '2023-11-27'`, fieldFork)
	f.exec(t, `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'read only'; end $$;
		create trigger refuse before insert on unsealed_days for each statement execute function refuse()`)
	require.Empty(t, f.wrongAnswers(t, damageQueries...))
	require.Positive(t, told)
	s, err := open(t.Context(), f.db.DB, damageQueries[0], true)
	require.NoError(t, err)
	defer s.close()
	days, months := len(s.sealed.days), len(s.sealed.months)
	require.NoError(t, s.undamaged(t.Context(), func() error {
		require.Equal(t, byte('T'), s.conn.Conn().PgConn().TxStatus(), "each round is in a transaction")
		_, err := s.statistics(t.Context())
		return err
	}))
	require.Equal(t, []int{days - 2, months}, []int{len(s.sealed.days), len(s.sealed.months)}, "all others are read from their segments")
	f.exec(t, `drop trigger refuse on unsealed_days; delete from fork_months where fork_id = '`+fieldFork+`'`)
	var sealer []Damage
	f.sealer.OnDamage = func(d Damage) { sealer = append(sealer, d) }
	require.Equal(t, 0, f.seal(t).Days)
	require.Len(t, sealer, 3)
	require.NoError(t, markDamaged(t.Context(), f.db.DB.Pool, sealer, f.sealer.OnDamage))
	require.Len(t, sealer, 3, "what is marked is not told again")
	require.Equal(t, 3, f.seal(t).Days)
	f.agrees(t)
}
