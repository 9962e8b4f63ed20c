package publicapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"dg/modules/games"
)

// history is an organisation and its plays in memory: the source of an import and of the oracle's
// figures.
type history struct {
	id, slug, plan, mode string
	// in every name and slug, so that one organisation's can be told from another's
	mark    string
	forks   []string
	players []player
	groups  []group
	plays   []play
}

type player struct{ id, name string }

type group struct {
	id      string
	members []int // places in history.players
}

type play struct {
	id, fork  string
	player    int // place in history.players
	release   int // 0: none
	started   time.Time
	completed time.Time // zero: unfinished
	score     int       // hundredths of a percent
	passed    bool
	answers   []answered
}

type answered struct {
	skill             string
	attempts, correct int
}

// newID draws a random UUID.
func newID(random *rand.Rand) string {
	a := random.Uint64()
	b := random.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0xfff,
		b&0xffffffffffff)
}

// newHistory makes an organisation with a number of forks, players and groups of the given sizes,
// and nothing played.
func newHistory(random *rand.Rand, forks, players int, groups ...int) *history {
	h := &history{id: newID(random), plan: "pro", mode: "pseudonymous"}
	h.slug = "org-" + h.id
	for range forks {
		h.forks = append(h.forks, newID(random))
	}
	for i := range players {
		// some share a name
		h.players = append(h.players, player{newID(random), fmt.Sprintf("Player %02d", i/2)})
	}
	for _, size := range groups {
		h.groups = append(h.groups, group{newID(random), random.Perm(players)[:size]})
	}
	return h
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
		p := play{
			id: newID(random), fork: h.forks[random.IntN(len(h.forks))],
			player: random.IntN(len(h.players)), started: started, release: random.IntN(4),
		}
		if random.IntN(4) > 0 {
			p.completed = started.Add(time.Duration(random.IntN(3_600_000)) * time.Millisecond)
			p.score = random.IntN(10_001)
			p.passed = random.IntN(2) == 0
		}
		for _, s := range random.Perm(games.SkillCount)[:random.IntN(5)] {
			attempts := 1 + random.IntN(4)
			p.answers = append(p.answers,
				answered{games.Skill(s).ID(), attempts, random.IntN(attempts + 1)})
		}
		h.plays = append(h.plays, p)
	}
}

// write writes the history in the import format.
func (h *history) write(w io.Writer) {
	line := func(fields map[string]any) {
		if err := json.NewEncoder(w).Encode(fields); err != nil {
			panic(err)
		}
	}
	const gameID = "00000000-0000-4000-8000-00000000a11e"
	line(map[string]any{
		"type":          "organisation",
		"id":            h.id,
		"slug":          h.slug,
		"name":          h.mark + "Org",
		"plan":          h.plan,
		"reportingMode": h.mode,
	})
	line(map[string]any{
		"type":  "game",
		"id":    gameIDOf(h),
		"slug":  gameID,
		"title": h.mark + "Game",
	})
	for i, id := range h.forks {
		line(map[string]any{
			"type":                  "fork",
			"id":                    id,
			"organisationId":        h.id,
			"gameId":                gameIDOf(h),
			"slug":                  h.mark + fmt.Sprintf("fork-%d", i),
			"title":                 h.mark + "Fork",
			"major":                 1,
			"status":                "active",
			"visibility":            "organization",
			"sourceLocale":          "en",
			"deployedReleaseNumber": i + 1,
			"suspended":             false,
			"configuration":         map[string]any{"secretOfTheFork": true},
			"createdAt":             fmt.Sprintf("2024-01-0%dT00:00:00Z", i+1),
			"updatedAt":             "2024-02-01T00:00:00.123456Z",
		})
	}
	for _, p := range h.players {
		line(map[string]any{
			"type":           "player",
			"id":             p.id,
			"organisationId": h.id,
			"displayName":    h.mark + p.name,
		})
	}
	for _, g := range h.groups {
		ids := []string{}
		for _, m := range g.members {
			ids = append(ids, h.players[m].id)
		}
		line(map[string]any{
			"type":           "group",
			"id":             g.id,
			"organisationId": h.id,
			"name":           h.mark + "Group",
			"playerIds":      ids,
		})
	}
	for _, p := range h.plays {
		line(h.playLine(p))
	}
}

// gameIDOf gives each history a game of its own.
func gameIDOf(h *history) string { return "9" + h.id[1:] }

func (h *history) playLine(p play) map[string]any {
	skills := []map[string]any{}
	for _, a := range p.answers {
		skills = append(skills, map[string]any{
			"skillId":  a.skill,
			"attempts": a.attempts,
			"correct":  a.correct,
		})
	}
	fields := map[string]any{
		"type": "play", "id": p.id, "forkId": p.fork, "playerId": h.players[p.player].id,
		"startedAt": p.started.Format(time.RFC3339Nano), "skills": skills,
	}
	if p.release > 0 {
		fields["releaseNumber"] = p.release
	}
	if !p.completed.IsZero() {
		fields["completedAt"] = p.completed.Format(time.RFC3339Nano)
		fields["scorePercent"] = json.Number(fmt.Sprintf("%d.%02d", p.score/100, p.score%100))
		fields["passed"] = p.passed
	}
	return fields
}
