package reports

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
)

// rules.md, Anonymity: the warning equals what an attacker reads from the labels of two shown reports.
// Random groups overlap, are nested or hidden, or are another organisation's with the same ordinals.
func TestOverlapsAreWhatTwoReportsList(t *testing.T) {
	e := newEnv(t)
	random := rand.New(rand.NewPCG(rand.Uint64(), 1))
	const other = "00000000-0000-4000-8000-0000000000ff"
	e.Exec(`update organisations set reporting_mode = 'pseudonymous'`)
	e.Organisation(testkit.Organisation{ID: other})
	e.Players(other, 40)
	report := func(group string) (Statistics, error) {
		q := query(testFrom, 3, group)
		q.OverlapsTimeout = time.Minute
		return e.statistics(t.Context(), q)
	}
	found := 0
	hidden := 0
	for round := range 12 {
		e.Exec(`delete from plays`)
		e.Exec(`delete from player_groups`)
		groups := []string{""}
		for i := range 14 {
			id := fmt.Sprintf("00000000-0000-4000-8000-%06d%06d", 1+round, i)
			groups = append(groups, id)
			owner := testOrg
			if i%7 == 6 {
				owner = other
			}
			e.Exec(`insert into player_groups (id, org_id, name) values ($1::uuid, $2, $1::text)`,
				id, owner)
			e.Exec(`insert into group_members select $2, $1, i from generate_series(1, $3::int) i
				where i <> all($4)`, id, owner, min(40, 4+random.IntN(1+3*i)),
				random.Perm(20 + random.IntN(20))[:random.IntN(1+i)])
		}
		e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
			select gen_random_uuid(), $1, $2, 1 + floor(random() * $4), $3, '' from generate_series(1, 70)`,
			testOrg, testFork, testFrom, 8+random.IntN(33))
		labels := map[string][]string{}
		overlaps := map[string][]Overlap{}
		for _, id := range groups {
			s, err := report(id)
			if err != nil {
				require.ErrorIs(t, err, ErrGroupNotFound)
				continue
			}
			for _, p := range s.Players() {
				labels[id] = append(labels[id], p.Label)
			}
			overlaps[id] = s.Overlaps
			if s.Suppressed {
				require.Empty(t, s.Overlaps)
				hidden++
			}
		}
		for _, id := range groups {
			var want []Overlap
			for _, than := range groups[1:] {
				lack := slices.DeleteFunc(slices.Clone(labels[id]), func(label string) bool {
					return slices.Contains(labels[than], label)
				})
				if n := len(lack); n > 0 && n < MinGroup && len(labels[id])-n >= MinGroup {
					require.NotEmpty(t, labels[than], "a hidden group is never named")
					want = append(want, Overlap{than, n})
				}
			}
			want = want[:min(MaxOverlaps, len(want))]
			require.Equal(t, fmt.Sprint(want), fmt.Sprint(overlaps[id]), id)
			found += len(want)
		}
	}
	require.Positive(t, found)
	require.Positive(t, hidden)
	e.Exec(`update organisations set reporting_mode = 'nominative'`)
	s, err := report("")
	require.NoError(t, err)
	require.Empty(t, s.Overlaps, "names need no comparison")
}

// A warning is optional: it never fails its report. A fresh import has no statistics for the planner.
func TestOverlapsOfManyGroupsLeaveTheReport(t *testing.T) {
	e := newEnv(t)
	e.Exec(`alter table group_members set (autovacuum_enabled = false)`)
	e.Exec(`update organisations set reporting_mode = 'pseudonymous'`)
	e.Players(testOrg, 3_000)
	e.Plays(theFork, 3_000, testFrom, 0)
	for i := range 200 {
		id := fmt.Sprintf("00000000-0000-4000-9000-%012d", i)
		e.group(id, `select j from generate_series(1, 3000) j where j % 3000 <> $1`, i)
	}
	q := query(testFrom, 1, "")
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	for timeout, found := range map[time.Duration][]int{
		300 * time.Millisecond: {0, MaxOverlaps}, // in time or not at all
		time.Nanosecond:        {0},
	} {
		q.OverlapsTimeout = timeout
		s, err := e.statistics(ctx, q)
		require.NoError(t, err)
		require.EqualValues(t, 3_000, s.UniquePlayers)
		require.Contains(t, found, len(s.Overlaps))
	}
}
