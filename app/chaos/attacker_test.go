package chaos

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// attacker is an owner who knows all players and groups, and compares reports of fork with empty ones of unplayed.
type attacker struct {
	*testkit.Browser
	db             *testkit.World
	organisation   testkit.Organisation
	key            string
	requests       int
	fork, unplayed testkit.Fork
	groups         []playerGroup
	played         map[[2]int]bool // keys: day and the player's ordinal
}

type playerGroup struct {
	id      string
	members []testkit.Player
}

const attackedDays = 12

var firstAttackedDay = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// rules.md, Anonymity: a response on fewer than five active members equals one without plays, headers included.
func TestHiddenReportsLookLikeEmptyOnes(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	db := testkit.New(t)
	dg := apptest.ServeWith(t, db.Flags()...)
	for n := range apptest.PickSize(3, 60, 200) {
		a := newAttacker(t, db, dg.ListenURL, rand.New(rand.NewPCG(seed, uint64(n))))
		hidden, shown := 0, 0
		for _, g := range a.groups {
			for _, days := range [][2]int{{0, attackedDays - 1}, {0, 5}, {6, 11}, {3, 3}, {4, 4}} {
				if a.requestReports(g, days[0], days[1]) < minActive {
					hidden++
				} else {
					shown++
				}
			}
		}
		require.Positive(t, min(hidden, shown))
	}
	require.Zero(t, db.CountRows(`audit_entries where action = 'export.finished' and details->>'outcome' = 'completed'
		and (details->>'rows')::int between 1 and 4`), "rows of a hidden group")
}

const minActive = 5

func newAttacker(t *testing.T, db *testkit.World, base string, random *rand.Rand) *attacker {
	a := &attacker{db: db, played: map[[2]int]bool{}}
	a.organisation = db.AddOrganisation(testkit.Organisation{})
	a.fork = db.AddFork(testkit.Fork{OrganisationID: a.organisation.ID})
	a.unplayed = db.AddFork(testkit.Fork{OrganisationID: a.organisation.ID})
	a.Browser = testkit.NewBrowser(t, base).SignIn(db.AddMember(a.organisation.ID, "owner").Email, testkit.Password, "")
	players := db.AddPlayers(a.organisation.ID, 12+random.IntN(8))
	for _, size := range []int{4, 5, 6, 7, len(players) - 1} {
		random.Shuffle(len(players), func(i, j int) { players[i], players[j] = players[j], players[i] })
		members := slices.Clone(players[:size])
		a.groups = append(a.groups, playerGroup{db.AddGroup(a.organisation.ID, members...), members})
	}
	var plays []testkit.Play
	for range 2 * len(players) {
		p := players[random.IntN(len(players))]
		day := random.IntN(attackedDays)
		a.played[[2]int{day, p.Ordinal}] = true
		at := firstAttackedDay.AddDate(0, 0, day).Add(time.Duration(random.IntN(86_000)) * time.Second)
		plays = append(plays, testkit.Play{Fork: a.fork, Player: p, StartedAt: at})
	}
	db.StorePlays(plays)
	return a
}

// requestReports requests a group's report in every way, and returns how many members played.
func (a *attacker) requestReports(g playerGroup, from, to int) (active int) {
	for _, member := range g.members {
		for day := from; day <= to; day++ {
			if a.played[[2]int{day, member.Ordinal}] {
				active++
				break
			}
		}
	}
	day := func(n int) string { return firstAttackedDay.AddDate(0, 0, n).Format(time.DateOnly) }
	query := "?from=" + day(from) + "&to=" + day(to) + "&groupId=" + g.id
	if active >= minActive {
		shown := a.observe(http.MethodGet, "/api/v1/forks/FORK/stats"+query, a.fork)
		require.Contains(a.T, shown, fmt.Sprintf(`"uniquePlayers":%d`, active))
		require.Contains(a.T, shown, `"suppressed":false`)
		return active
	}
	screen := "/o/" + a.organisation.Slug + "/reports/FORK"
	for _, path := range []string{
		"GET /api/v1/forks/FORK/stats", "HEAD /api/v1/forks/FORK/stats",
		"GET /api/v1/forks/FORK/exports/csv", "HEAD /api/v1/forks/FORK/exports/csv",
		"GET " + screen, "GET " + screen + "/plays.csv",
		"GET " + screen + "?player=P-&sort=label&skills=weakest&compare=off",
	} {
		method, path, _ := strings.Cut(path, " ")
		path, more, _ := strings.Cut(path, "?")
		path = strings.TrimSuffix(path+query+"&"+more, "&")
		require.Equal(a.T, a.observe(method, path, a.unplayed), a.observe(method, path, a.fork),
			"%d of %d members played: %s", active, len(g.members), path)
	}
	return active
}

// observe returns a response without its date, request id and the fork's id.
func (a *attacker) observe(method, path string, fork testkit.Fork) string {
	if a.requests++; a.requests%100 == 1 { // a key may send 120 requests a minute
		a.key = a.db.AddKey(a.organisation.ID).Token()
	}
	header := testkit.SameOrigin
	if strings.HasPrefix(path, "/api/") {
		header = http.Header{"Authorization": {"Bearer " + a.key}}
	}
	page := a.Send(method, strings.Replace(path, "FORK", fork.ID, 1), "", header).Is(a.T, 200)
	for _, name := range []string{"Date", "X-Request-Id", "Ratelimit", "Ratelimit-Policy"} {
		page.Header.Del(name)
	}
	return strings.ReplaceAll(fmt.Sprint(page.Header, page.Body), fork.ID, "FORK")
}
