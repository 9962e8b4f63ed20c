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
	w        *world
	id, mode string
	forks    []string
	players  []testkit.Player
	groups   []group
	plays    []oracle.Play // Player is an index of players
}

type group struct {
	id      string
	members []int // indexes of history.players
}

// newHistory stores an organisation with forks of one game, players, and groups of the sizes. Its
// id is in the names; some players share a name.
func (w *world) newHistory(mode string, forks, players int, groups ...int) *history {
	h := &history{w: w, id: uuid.NewString(), mode: mode}
	w.Organisation(testkit.Organisation{ID: h.id, Name: h.id, ReportingMode: mode})
	game := w.Game()
	for i := range forks {
		slug := fmt.Sprint("fork-", i)
		fork := w.Fork(testkit.Fork{OrganisationID: h.id, GameID: game, Slug: slug})
		h.forks = append(h.forks, fork.ID)
	}
	var names []string
	for i := range players {
		names = append(names, []string{"Ann", "Bob", "Cid"}[i%3]+h.id)
	}
	h.players = w.PlayersNamed(h.id, names...)
	for _, size := range groups {
		g := group{members: rand.Perm(players)[:size]}
		var members []testkit.Player
		for _, m := range g.members {
			members = append(members, h.players[m])
		}
		g.id = w.GroupNamed(h.id, h.id, members...)
		h.groups = append(h.groups, g)
	}
	return h
}

func (h *history) play(player int, at time.Time) {
	h.store(oracle.Play{ID: uuid.NewString(), Fork: h.forks[0], Player: player, Started: at})
}

// playRandomly adds n plays between two instants, many of them at the edges of days.
func (h *history) playRandomly(random *rand.Rand, n int, from, to time.Time) {
	plays := make([]oracle.Play, n)
	for i := range plays {
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
		plays[i] = p
	}
	h.store(plays...)
}

func (h *history) store(plays ...oracle.Play) {
	h.plays = append(h.plays, plays...)
	for _, p := range plays {
		var answers []games.SkillResult
		for _, a := range p.Answers {
			skill, _ := games.SkillByID(a.Skill)
			answers = append(answers,
				games.SkillResult{Skill: skill, Attempts: a.Attempts, Correct: a.Correct})
		}
		h.w.Play(testkit.Play{
			ID: p.ID, Fork: testkit.Fork{ID: p.Fork, OrganisationID: h.id},
			Player: h.players[p.Player], StartedAt: p.Started, CompletedAt: p.Completed,
			Score: p.Score, Passed: p.Passed, Answers: games.PackAnswers(answers),
		})
		h.w.Exec(`update plays set release_number = nullif($2, 0) where id = $1`, p.ID, p.Release)
	}
}
