package reports_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("Player %03d", i)
	}
	return names
}

// randomPlays stores n plays of the last days before now.
func randomPlays(
	w *webtest.World, random *rand.Rand, n, days int, forks []testkit.Fork,
	players []testkit.Player, now time.Time,
) {
	plays := make([]testkit.Play, n)
	for i := range plays {
		at := now.Truncate(time.Millisecond).
			Add(-time.Duration(random.Int64N(int64(days)*86_400_000)) * time.Millisecond)
		p := testkit.Play{
			Fork: forks[random.IntN(len(forks))], Player: players[random.IntN(len(players))],
			StartedAt: at,
		}
		if score := random.IntN(13_000) - 3_000; score >= 0 {
			p.CompletedAt = at.Add(time.Minute)
			p.Score = min(score, 10_000)
			p.Passed = score > 5000
		}
		var results []games.SkillResult
		for _, s := range random.Perm(games.SkillCount)[:random.IntN(4)] {
			attempts := 1 + random.IntN(7)
			results = append(results, games.SkillResult{
				Skill: games.Skill(s), Attempts: attempts, Correct: random.IntN(attempts + 1),
			})
		}
		p.Answers = games.PackAnswers(results)
		plays[i] = p
	}
	w.DB.StorePlays(plays)
}

// rules.md, Figures: the figures of the API and of the dashboard are the same, to the digit, for
// random queries: fork × period × group, in both modes, the suppressed and the empty ones too.
func TestDashboardShowsTheFiguresOfTheAPI(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	now := time.Now().UTC()
	kinds := map[string]int{}
	for _, mode := range []string{"pseudonymous", "nominative"} {
		o := w.OrganisationOf(testkit.Organisation{Slug: mode, ReportingMode: mode})
		forks := []testkit.Fork{w.Fork(o), w.Fork(o), w.Fork(o)}
		names := numbered(70)
		// hostile ones, and one twice
		copy(names, []string{"=HYPERLINK(1)", "<b>bold</b>", "\u202eevil", "Player 069"})
		players := w.DB.PlayersNamed(o.ID, names...)
		groups := []string{"", w.DB.Group(o.ID)}
		for _, size := range []int{4, 5, 20, len(players)} {
			groups = append(groups, w.DB.Group(o.ID, players[:size]...))
		}
		randomPlays(w, random, 700, 400, forks[:2], players, now)
		randomPlays(w, random, 500, 20, forks[:1], players, now)
		owner := w.SignedIn(t, o.Owner)
		get := w.API(t, o)
		for n := range 40 {
			fork := forks[min(random.IntN(7)/3, 2)].ID
			group := groups[max(0, random.IntN(2*len(groups))-len(groups))]
			days := []int{1, 2, 7, 28, 92, 93, 366}[n%7]
			last := now.AddDate(0, 0, 5-random.IntN(200))
			from := last.AddDate(0, 0, 1-days).Format(time.DateOnly)
			to := last.Format(time.DateOnly)
			want := askStatistics(t, get, fork, from, to, group)
			p := owner.Get(o.At("/reports/%s?from=%s&to=%s&groupId=%s", fork, from, to, group))
			sameFigures(t, owner, p.Is(t, 200), want)
			switch {
			case want.Suppressed:
				kinds["suppressed"]++
			case want.Plays == "0":
				kinds["empty"]++
			case len(want.Players) > 25:
				kinds["paged"]++
			}
		}
	}
	require.Greater(t, min(kinds["suppressed"], kinds["empty"], kinds["paged"]), 1, "%v", kinds)
}
