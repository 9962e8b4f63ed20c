package chaos

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// attacker is an owner who knows all players and groups. It compares reports of fork with those of unplayed.
type attacker struct {
	*testkit.Browser
	db             *testkit.World
	organisation   testkit.Organisation
	key            string
	requests       int
	fork, unplayed testkit.Fork
	groups         []string
}

// rules.md, Anonymity: a response on fewer than five active members equals one without plays, headers included.
func TestHiddenReportsLookLikeEmptyOnes(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	db := testkit.New(t)
	dg := apptest.ServeWith(t, db.Flags()...)
	for n := range apptest.PickSize(3, 60, 200) {
		a := newAttacker(t, db, dg.ListenURL, rand.New(rand.NewPCG(seed, uint64(n))))
		hiddenReports := 0
		for _, g := range a.groups {
			for _, days := range [][2]string{{"01", "12"}, {"01", "06"}, {"07", "12"}, {"04", "04"}, {"05", "05"}} {
				from, to := "2026-03-"+days[0], "2026-03-"+days[1]
				if active := a.countActive(g, from, to); active < 5 {
					hiddenReports++
					a.requireEqualReports("?from="+from+"&to="+to+"&groupId="+g, active)
				}
			}
		}
		require.Positive(t, hiddenReports)
	}
	require.Zero(t, db.CountRows(`audit_entries where action = 'export.finished' and details->>'outcome' = 'completed'
		and (details->>'rows')::int between 1 and 4`), "rows of a hidden group")
}

func newAttacker(t *testing.T, db *testkit.World, base string, random *rand.Rand) *attacker {
	a := &attacker{db: db, organisation: db.AddOrganisation(testkit.Organisation{})}
	a.fork = db.AddFork(testkit.Fork{OrganisationID: a.organisation.ID})
	a.unplayed = db.AddFork(testkit.Fork{OrganisationID: a.organisation.ID})
	a.Browser = testkit.NewBrowser(t, base).SignIn(db.AddMember(a.organisation.ID, "owner").Email, testkit.Password, "")
	players := db.AddPlayers(a.organisation.ID, 12+random.IntN(8))
	for _, size := range []int{4, 5, 6, 7, len(players) - 1} {
		random.Shuffle(len(players), func(i, j int) { players[i], players[j] = players[j], players[i] })
		a.groups = append(a.groups, db.AddGroup(a.organisation.ID, players[:size]...))
	}
	var plays []testkit.Play
	for range 2 * len(players) {
		at := time.Date(2026, 3, 1, 0, 0, random.IntN(12*86_400), 0, time.UTC)
		plays = append(plays, testkit.Play{Fork: a.fork, Player: players[random.IntN(len(players))], StartedAt: at})
	}
	db.StorePlays(plays)
	return a
}

func (a *attacker) countActive(group, from, to string) int {
	return a.db.CountRows(`group_members m where group_id = $1 and exists (select from plays p
		where fork_id = $2 and p.player = m.player
		and (started_at at time zone 'UTC')::date between $3::text::date and $4::text::date)`,
		group, a.fork.ID, from, to)
}

// requireEqualReports requires that each kind of report equals that of the fork without plays.
func (a *attacker) requireEqualReports(query string, active int) {
	screen := "/o/" + a.organisation.Slug + "/reports/FORK"
	for _, path := range []string{
		"GET /api/v1/forks/FORK/stats", "HEAD /api/v1/forks/FORK/stats",
		"GET /api/v1/forks/FORK/exports/csv", "HEAD /api/v1/forks/FORK/exports/csv",
		"GET " + screen, "GET " + screen + "/plays.csv",
		"GET " + screen + "?player=P-&sort=label&skills=weakest&compare=off",
	} {
		method, path, _ := strings.Cut(path, " ")
		path, extraQuery, _ := strings.Cut(path, "?")
		path = strings.TrimSuffix(path+query+"&"+extraQuery, "&")
		require.Equal(a.T, a.observe(method, path, a.unplayed), a.observe(method, path, a.fork),
			"%d members played: %s", active, path)
	}
}

// observe returns a response's headers and body, without what always differs, such as the request id.
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
