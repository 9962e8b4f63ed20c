package reports

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/reports/snapshot"
	"dg/platform/testkit/fixtures"
)

// rules.md, Anonymity: the warning equals what an attacker reads from the labels of two shown reports.
// Random groups overlap, are nested or hidden, or are another organisation's with the same ordinals.
func TestOverlapsAreWhatTwoReportsList(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	const other = "00000000-0000-4000-8000-0000000000ff"
	e.Exec(`update organisations set reporting_mode = 'pseudonymous'`)
	e.Organisation(fixtures.Organisation{ID: other})
	e.Players(other, 40)
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
			without := fmt.Sprint(random.Perm(20 + random.IntN(20))[:random.IntN(1+i)])
			e.Exec(`insert into group_members select $2, $1, i from generate_series(1, $3::int) i
				where i <> all(('{' || $4 || '}')::int[])`,
				id, owner, min(40, 4+random.IntN(1+3*i)), strings.ReplaceAll(strings.Trim(without, "[]"), " ", ","))
		}
		e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
			select gen_random_uuid(), $1, $2, 1 + floor(random() * $4), $3, '' from generate_series(1, 70)`,
			testOrg, testFork, testFrom, 8+random.IntN(33))
		labels := map[string][]string{}
		overlaps := map[string][]Overlap{}
		for _, id := range groups {
			q := query(testFrom, 3, id)
			q.Overlaps = true
			s, err := e.statistics(t.Context(), q)
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
			want := []Overlap{}
			for _, than := range groups[1:] {
				lack := slices.DeleteFunc(slices.Clone(labels[id]), func(label string) bool {
					return slices.Contains(labels[than], label)
				})
				if n := len(lack); n > 0 && n < snapshot.MinGroup && len(labels[id])-n >= snapshot.MinGroup {
					require.NotEmpty(t, labels[than], "a hidden group is never named")
					want = append(want, Overlap{than, n})
				}
			}
			require.ElementsMatch(t, want, overlaps[id], id)
			found += len(want)
		}
	}
	require.Positive(t, found)
	require.Positive(t, hidden)
	e.Exec(`update organisations set reporting_mode = 'nominative'`)
	q := query(testFrom, 3, "")
	q.Overlaps = true
	s, err := e.statistics(t.Context(), q)
	require.NoError(t, err)
	require.Empty(t, s.Overlaps, "names need no comparison")
}

// A warning reads a few index pages for each group, not its members.
func TestOverlapsCostLittle(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.Players(testOrg, 2_361)
	e.Exec(`insert into player_groups (id, org_id, name)
		select ('00000000-0000-4000-9000-' || lpad(i::text, 12, '0'))::uuid, $1, 'G' || i
		  from generate_series(1, 50) i`, testOrg)
	e.Exec(`insert into group_members
		select $1, ('00000000-0000-4000-9000-' || lpad(i::text, 12, '0'))::uuid, 1 + (j * 3 + i * 7) % 2400
		  from generate_series(1, 50) i, generate_series(1, 800) j`, testOrg)
	e.Exec(`vacuum analyze group_members`)
	players := make([]string, 800)
	for i := range players {
		players[i] = fmt.Sprint(i + 1)
	}
	pages := e.pages(t, overlapsSQL, testOrg, "{"+strings.Join(players, ",")+"}", snapshot.MinGroup)
	t.Logf("%d pages", pages)
	require.Less(t, pages, 3_000, "the groups have 40,000 members")
}
