package publicapi_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/platform/testkit"
	"dg/platform/testkit/oracle"
	"dg/platform/testkit/tb"
)

// organisation is an organisation and its plays, both in the database and for the oracle.
type organisation struct {
	w        *world
	id, mode string
	forks    []string
	players  []testkit.Player
	groups   []group
	plays    []oracle.Play // Play.Player is an index of players
}

type group struct {
	id      string
	members []int // indexes of organisation.players
}

// newOrganisation stores an organisation with forks of one game, players, and groups of the given sizes.
// All names contain its id, and some players share a name.
func (w *world) newOrganisation(mode string, forks, players int, groups ...int) *organisation {
	h := &organisation{w: w, id: uuid.NewString(), mode: mode}
	w.AddOrganisation(testkit.Organisation{ID: h.id, Name: h.id, ReportingMode: mode})
	game := w.AddGame()
	for i := range forks {
		slug := fmt.Sprint("fork-", i)
		fork := w.AddFork(testkit.Fork{OrganisationID: h.id, GameID: game, Slug: slug})
		h.forks = append(h.forks, fork.ID)
	}
	var names []string
	for i := range players {
		names = append(names, []string{"Ann", "Bob", "Cid"}[i%3]+h.id)
	}
	h.players = w.AddPlayersNamed(h.id, names...)
	for _, size := range groups {
		g := group{members: rand.Perm(players)[:size]}
		var members []testkit.Player
		for _, m := range g.members {
			members = append(members, h.players[m])
		}
		g.id = w.AddGroupNamed(h.id, h.id, members...)
		h.groups = append(h.groups, g)
	}
	return h
}

func (h *organisation) addPlay(player int, at time.Time) {
	h.storePlays(oracle.Play{ID: uuid.NewString(), Fork: h.forks[0], Player: player, Started: at})
}

// addRandomPlays adds n plays between two instants, many of them at the start or end of a day.
func (h *organisation) addRandomPlays(random *rand.Rand, n int, from, to time.Time) {
	plays := make([]oracle.Play, n)
	for i := range plays {
		started := from.Add(time.Duration(random.Int64N(to.Sub(from).Milliseconds())) * time.Millisecond)
		switch random.IntN(8) {
		case 0:
			started = started.Truncate(24 * time.Hour)
		case 1:
			started = started.Truncate(24 * time.Hour).Add(24*time.Hour - time.Millisecond)
		}
		p := oracle.Play{
			ID: uuid.NewString(), Fork: h.forks[random.IntN(len(h.forks))],
			Player: random.IntN(len(h.players)), Started: started, Release: random.IntN(4),
		}
		if random.IntN(4) > 0 {
			p.Completed = started.Add(time.Duration(random.IntN(3_600_000)) * time.Millisecond)
			p.Score = max(0, random.IntN(12_001)-2000) // a score of 0 differs from none
			p.Passed = random.IntN(2) == 0
		}
		for _, s := range random.Perm(games.SkillCount)[:random.IntN(5)] {
			attempts := 1 + random.IntN(4)
			p.Answers = append(p.Answers, oracle.SkillAnswers{
				Skill: games.Skill(s).ID(), Attempts: attempts, Correct: random.IntN(attempts + 1),
			})
		}
		plays[i] = p
	}
	h.storePlays(plays...)
}

func (h *organisation) storePlays(plays ...oracle.Play) {
	h.plays = append(h.plays, plays...)
	for _, p := range plays {
		var answers []games.SkillResult
		for _, a := range p.Answers {
			skill, _ := games.SkillByID(a.Skill)
			answers = append(answers, games.SkillResult{Skill: skill, Attempts: a.Attempts, Correct: a.Correct})
		}
		h.w.AddPlay(testkit.Play{
			ID: p.ID, Fork: testkit.Fork{ID: p.Fork, OrganisationID: h.id},
			Player: h.players[p.Player], StartedAt: p.Started, CompletedAt: p.Completed,
			Score: p.Score, Passed: p.Passed, Answers: games.PackAnswers(answers),
		})
		h.w.Exec(`update plays set release_number = nullif($2, 0) where id = $1`, p.ID, p.Release)
	}
}

type reportBody struct {
	Suppressed bool
	Players    []struct{ PlayerLabel string }
}

// requireAgreement compares the statistics and the CSV of the first fork with the oracle's. Labels
// are keys under pseudonymous reporting, names under nominative reporting.
func (h *organisation) requireAgreement(t *testing.T, w *world, key testkit.Key, from, to string, g *group) reportBody {
	o := oracle.Query{Fork: h.forks[0], From: parseDay(from), To: parseDay(to), Mode: h.mode}
	for i := range games.SkillCount {
		o.Skills = append(o.Skills, games.Skill(i).ID())
	}
	for _, p := range h.players {
		o.Keys = append(o.Keys, p.Label)
		o.Labels = append(o.Labels, map[string]string{"pseudonymous": p.Label, "nominative": p.Name}[h.mode])
	}
	query := "?from=" + from + "&to=" + to
	if g != nil {
		query += "&groupId=" + g.id
		o.Members = map[int]bool{}
		for _, m := range g.members {
			o.Members[m] = true
		}
	}
	stats := w.get(t, "/api/v1/forks/"+o.Fork+"/stats"+query, key)
	s := decodeJSON[reportBody](t, stats)
	want := tb.Must(json.Marshal(o.Statistics(slices.Values(h.plays))))(t)
	require.JSONEq(t, string(want), stats.Body)
	file := w.get(t, "/api/v1/forks/"+o.Fork+"/exports/csv"+query, key).Is(t, http.StatusOK)
	require.Equal(t, o.CSV(h.plays), file.Body)
	require.Equal(t, s.Suppressed, file.Header.Get("X-DG-Report-Suppressed") == "k-anonymity")
	return s
}

// The API agrees with the oracle on random plays on leap days, year ends and the edges of days.
func TestFiguresAgreeWithTheOracle(t *testing.T) {
	w := start(t)
	random := rand.New(rand.NewPCG(rand.Uint64(), 0))
	periods := [][2]string{
		{"2024-02-28", "2024-03-01"}, {"2024-02-29", "2024-02-29"}, {"2023-12-31", "2024-01-01"},
		{"2024-01-01", "2024-12-31"}, {"2023-03-01", "2024-02-29"}, {"2024-03-31", "2024-03-31"},
	}
	rounds := 20
	if os.Getenv("DG_SOAK") == "1" { // these histories take minutes
		rounds = 1_000
	}
	for i := range rounds {
		players := 4 + random.IntN(30)
		h := w.newOrganisation([]string{"pseudonymous", "nominative"}[i%2], 2, players,
			0, 1, 4, min(5, players), min(6, players), players)
		h.addRandomPlays(random, random.IntN(60), parseDay("2024-02-27"), parseDay("2024-03-03"))
		h.addRandomPlays(random, random.IntN(60), parseDay("2023-03-01"), parseDay("2025-01-01"))
		key := w.AddKey(h.id)
		for range 4 {
			p := periods[random.IntN(len(periods))]
			var g *group
			if n := random.IntN(len(h.groups) + 1); n > 0 {
				g = &h.groups[n-1]
			}
			h.requireAgreement(t, w, key, p[0], p[1], g)
		}
	}
}

func parseDay(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

// hostileNames maps names that a spreadsheet, a terminal or a parser may misread to their cells in
// the CSV. Package format tests the formula guard.
var hostileNames = map[string]string{
	"=cmd|'/C calc'!A0":              "'=cmd|'/C calc'!A0",
	"\r=1; no line":                  "'\r=1; no line",
	"a\nb,c\n":                       "a\nb,c\n",
	"\u202egnp.exe":                  "\u202egnp.exe",
	"</script><script>alert(1)":      "</script><script>alert(1)",
	"\x1b[31mred\x07":                "\x1b[31mred\x07",
	strings.Repeat("é,\"", 10_000/3): strings.Repeat("é,\"", 10_000/3),
}

// rules.md, CSV: JSON has names unchanged, the CSV has the formula guard, and pseudonymous reports have no name.
func TestHostileNamesAreEscaped(t *testing.T) {
	w := start(t)
	h := w.newOrganisation("nominative", 1, len(hostileNames))
	for player := range h.players {
		h.addPlay(player, parseDay("2024-05-05"))
	}
	cellOf := map[string]string{} // a player's cell by the player's key
	for name, cell := range hostileNames {
		p := h.players[len(cellOf)]
		w.Exec(`update players set display_name = $2 where id = $1`, p.ID, name)
		cellOf[p.Label] = cell
	}
	key := w.AddKey(h.id)
	path := "/api/v1/forks/" + h.forks[0]
	const period = "?from=2024-05-01&to=2024-05-31"

	var labels []string
	for _, p := range decodeJSON[reportBody](t, w.get(t, path+"/stats"+period, key)).Players {
		labels = append(labels, p.PlayerLabel)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(hostileNames)), labels)

	// not w.get, because w.check refuses cells with CR
	got := w.sendRaw(t, requestText(http.MethodGet, path+"/exports/csv"+period, "Authorization: Bearer "+key.Token()))
	rows := tb.Must(csv.NewReader(strings.NewReader(got.Body)).ReadAll())(t)
	require.Len(t, rows, len(hostileNames)+1)
	for _, row := range rows[1:] {
		require.Equal(t, cellOf[row[3]], row[4], "%q", row)
	}

	w.Exec(`update organisations set reporting_mode = 'pseudonymous' where id = $1`, h.id)
	for _, tail := range []string{"/stats", "/exports/csv"} {
		w.get(t, path+tail+period, key).Lacks(t, slices.Collect(maps.Keys(hostileNames))...)
	}
}
