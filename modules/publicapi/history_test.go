package publicapi_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"dg/modules/games"
	"dg/platform/testkit"
	"dg/platform/testkit/oracle"
)

// history is an organisation with its plays, as it is stored and as the oracle reads it.
type history struct {
	id, mode string
	mark     string // of the organisation, in the name of its players
	forks    []string
	players  []testkit.Player
	groups   []group
	plays    []oracle.Play // Player is an index of players
}

type group struct {
	id      string
	members []int // indexes of history.players
}

// newHistory returns an organisation with forks, players, and groups of the sizes, without plays.
func newHistory(forks, players int, groups ...int) *history {
	h := &history{id: uuid.NewString(), mode: "pseudonymous"}
	for range forks {
		h.forks = append(h.forks, uuid.NewString())
	}
	h.players = make([]testkit.Player, players)
	for _, size := range groups {
		h.groups = append(h.groups, group{members: rand.Perm(players)[:size]})
	}
	return h
}

// play adds an unfinished play of the first fork.
func (h *history) play(player int, at time.Time) {
	h.plays = append(h.plays,
		oracle.Play{ID: uuid.NewString(), Fork: h.forks[0], Player: player, Started: at})
}

// playRandomly adds n plays between two instants, many of them at the edges of days.
func (h *history) playRandomly(random *rand.Rand, n int, from, to time.Time) {
	for range n {
		started := from.Add(time.Duration(random.Int64N(to.Sub(from).Milliseconds())) *
			time.Millisecond)
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
			p.Score = random.IntN(10_001)
			p.Passed = random.IntN(2) == 0
		}
		for _, s := range random.Perm(games.SkillCount)[:random.IntN(5)] {
			attempts := 1 + random.IntN(4)
			p.Answers = append(p.Answers, oracle.SkillAnswers{
				Skill: games.Skill(s).ID(), Attempts: attempts, Correct: random.IntN(attempts + 1),
			})
		}
		h.plays = append(h.plays, p)
	}
}

// load stores a history.
func (w *world) load(h *history) {
	w.Organisation(testkit.Organisation{ID: h.id, Name: h.mark + "Org", ReportingMode: h.mode})
	game := w.Game()
	for i, id := range h.forks {
		w.Fork(testkit.Fork{
			ID: id, OrganisationID: h.id, GameID: game, Slug: fmt.Sprintf("fork-%d", i),
		})
	}
	var names []string
	for i := range h.players {
		names = append(names, h.mark+[]string{"Ann", "Bob", "Cid"}[i%3]) // some share a name
	}
	h.players = w.PlayersNamed(h.id, names...)
	for i := range h.groups {
		var members []testkit.Player
		for _, m := range h.groups[i].members {
			members = append(members, h.players[m])
		}
		h.groups[i].id = w.GroupNamed(h.id, h.mark+"Group", members...)
	}
	var plays []testkit.Play
	for _, p := range h.plays {
		plays = append(plays, testkit.Play{
			ID: p.ID, Fork: testkit.Fork{ID: p.Fork, OrganisationID: h.id},
			Player: h.players[p.Player], StartedAt: p.Started, CompletedAt: p.Completed,
			Score: p.Score, Passed: p.Passed, Answers: packed(p.Answers),
		})
	}
	w.StorePlays(plays)
	for _, p := range h.plays {
		if p.Release > 0 {
			w.Exec(`update plays set release_number = $2 where id = $1`, p.ID, p.Release)
		}
	}
}

// packed returns the stored form of answers.
func packed(answers []oracle.SkillAnswers) []byte {
	var results []games.SkillResult
	for _, a := range answers {
		skill, _ := games.SkillByID(a.Skill)
		results = append(results,
			games.SkillResult{Skill: skill, Attempts: a.Attempts, Correct: a.Correct})
	}
	return games.PackAnswers(results)
}
