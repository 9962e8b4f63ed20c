package publicapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"dg/modules/games"
	"dg/platform/testkit/oracle"
)

// history is an organisation with its plays: the source of an import and of the oracle's figures.
type history struct {
	id, mode string
	mark     string // of the organisation, in every name and slug
	forks    []string
	players  []player
	groups   []group
	plays    []oracle.Play // Player is an index of players
}

type player struct{ id, name string }

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
	for i := range players {
		// some share a name
		h.players = append(h.players, player{uuid.NewString(), fmt.Sprintf("Player %02d", i/2)})
	}
	for _, size := range groups {
		h.groups = append(h.groups, group{uuid.NewString(), rand.Perm(players)[:size]})
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

type object = map[string]any

// write writes the history in the import format.
func (h *history) write(w io.Writer) {
	line := func(fields object) {
		if err := json.NewEncoder(w).Encode(fields); err != nil {
			panic(err)
		}
	}
	line(object{
		"type": "organisation", "id": h.id, "slug": "org-" + h.id, "name": h.mark + "Org",
		"plan": "pro", "reportingMode": h.mode,
	})
	line(object{"type": "game", "id": gameIDOf(h), "slug": gameIDOf(h), "title": h.mark + "Game"})
	for i, id := range h.forks {
		line(object{
			"type": "fork", "id": id, "organisationId": h.id, "gameId": gameIDOf(h),
			"slug": h.mark + fmt.Sprintf("fork-%d", i), "title": h.mark + "Fork", "major": 1,
			"status": "active", "visibility": "organization", "sourceLocale": "en",
			"deployedReleaseNumber": i + 1, "suspended": false,
			"configuration": object{"secretOfTheFork": true},
			"createdAt":     fmt.Sprintf("2024-01-0%dT00:00:00Z", i+1),
			"updatedAt":     "2024-02-01T00:00:00.123456Z",
		})
	}
	for _, p := range h.players {
		line(object{
			"type": "player", "id": p.id, "organisationId": h.id, "displayName": h.mark + p.name,
		})
	}
	for _, g := range h.groups {
		ids := []string{}
		for _, m := range g.members {
			ids = append(ids, h.players[m].id)
		}
		line(object{
			"type": "group", "id": g.id, "organisationId": h.id, "name": h.mark + "Group",
			"playerIds": ids,
		})
	}
	for _, p := range h.plays {
		line(h.playLine(p))
	}
}

// gameIDOf returns the id of the history's game.
func gameIDOf(h *history) string { return "9" + h.id[1:] }

func (h *history) playLine(p oracle.Play) object {
	skills := []object{}
	for _, a := range p.Answers {
		skills = append(skills,
			object{"skillId": a.Skill, "attempts": a.Attempts, "correct": a.Correct})
	}
	fields := object{
		"type": "play", "id": p.ID, "forkId": p.Fork, "playerId": h.players[p.Player].id,
		"startedAt": p.Started.Format(time.RFC3339Nano), "skills": skills,
	}
	if p.Release > 0 {
		fields["releaseNumber"] = p.Release
	}
	if !p.Completed.IsZero() {
		fields["completedAt"] = p.Completed.Format(time.RFC3339Nano)
		fields["scorePercent"] = json.Number(fmt.Sprintf("%d.%02d", p.Score/100, p.Score%100))
		fields["passed"] = p.Passed
	}
	return fields
}
