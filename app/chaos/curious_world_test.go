package chaos

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// company is an organisation of the curious manager, who knows its roster: the staff, when each
// came and left, and the groups. The manager does not know the sittings (plays), nor who is behind
// which pseudonym.
type company struct {
	id, slug    string
	fork, idle  string    // a fork, and one that nobody ever played
	first       time.Time // day 0 of curiousDays
	staff       []colleague
	circles     []circle
	sittings    []sitting
	mover, into int // who moves to another group
	leaver      int // who is erased
}

type colleague struct {
	id, name, pseudonym string
	came, left          int // days
}

// circle is a group.
type circle struct {
	id      string
	members people
}

type people = map[int]bool

type sitting struct {
	id        string
	who, day  int
	at        time.Time
	completed bool
	score     int // whole percent
	skills    []string
}

const (
	curiousDays = 28
	lastCurious = curiousDays - 1
	rareSkill   = "data.leadership.incident"
)

func newCompany(random *rand.Rand, number int) *company {
	c := &company{
		id:   randomID(random),
		slug: fmt.Sprintf("curious-%d", number),
		fork: randomID(random),
		idle: randomID(random),
	}
	c.first = time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -lastCurious)
	growing := random.IntN(3) == 0 // people came one by one
	for i := range 7 + random.IntN(18) {
		p := colleague{
			id:   randomID(random),
			name: fmt.Sprintf("Person %02d of %s", i, c.slug),
			left: lastCurious,
		}
		switch random.IntN(6) {
		case 0:
			p.came = 1 + random.IntN(18)
		case 1:
			p.left = 8 + random.IntN(18)
		}
		if growing {
			p.came = random.IntN(20)
		}
		c.staff = append(c.staff, p)
	}
	c.group(random)
	c.play(random)
	c.mover = random.IntN(len(c.staff))
	c.into = random.IntN(len(c.circles))
	c.leaver = random.IntN(len(c.staff))
	return c
}

// group makes groups of sizes around five that overlap, one inside another, and one of nearly
// everybody.
func (c *company) group(random *rand.Rand) {
	add := func(members ...int) {
		of := people{}
		for _, m := range members {
			of[m] = true
		}
		c.circles = append(c.circles, circle{randomID(random), of})
	}
	some := func(n int) []int { return random.Perm(len(c.staff))[:n] }
	for range 2 + random.IntN(3) {
		add(some(3 + random.IntN(5))...)
	}
	inner := some(6)
	add(inner[:5]...)
	add(inner...)
	add(some(len(c.staff) - 1 - random.IntN(3))...)
}

// play has few busy days, few skills, and sittings that look alike.
func (c *company) play(random *rand.Rand) {
	busy := random.Perm(lastCurious)[:4+random.IntN(5)]
	share := 0.2 + 0.7*random.Float64()
	for who, p := range c.staff {
		if random.Float64() > share {
			continue
		}
		for range 1 + random.IntN(3) {
			day := busy[random.IntN(len(busy))]
			if day < p.came || day > p.left {
				continue
			}
			s := sitting{
				id:        randomID(random),
				who:       who,
				day:       day,
				completed: random.IntN(4) > 0,
				score:     80,
				skills:    []string{"prompting.context"},
			}
			s.at = c.first.AddDate(0, 0, day).Add(9 * time.Hour)
			if random.IntN(2) == 0 {
				s.at = s.at.Add(time.Duration(random.IntN(36_000_000)) * time.Millisecond)
				s.score = random.IntN(101)
			}
			if random.IntN(8) == 0 {
				s.skills = append(s.skills, rareSkill)
			}
			c.sittings = append(c.sittings, s)
		}
	}
}

func randomID(random *rand.Rand) string {
	a := random.Uint64()
	b := random.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0xfff,
		b&0xffffffffffff)
}

// write writes the company in the import format. game is stored.
func (c *company) write(w io.Writer, game string) error {
	e := json.NewEncoder(w)
	created := c.first.AddDate(-1, 0, 0).Format(time.RFC3339)
	lines := []map[string]any{
		{
			"type":          "organisation",
			"id":            c.id,
			"slug":          c.slug,
			"name":          c.slug,
			"plan":          "pro",
			"reportingMode": "pseudonymous",
		},
	}
	for slug, id := range map[string]string{"a-fork": c.fork, "b-fork": c.idle} {
		lines = append(lines, map[string]any{
			"type":           "fork",
			"id":             id,
			"organisationId": c.id,
			"gameId":         game,
			"slug":           slug,
			"title":          "A fork",
			"major":          1,
			"status":         "active",
			"visibility":     "organization",
			"sourceLocale":   "en",
			"suspended":      false,
			"createdAt":      created,
			"updatedAt":      created,
		})
	}
	for _, p := range c.staff {
		lines = append(lines, map[string]any{
			"type":           "player",
			"id":             p.id,
			"organisationId": c.id,
			"displayName":    p.name,
		})
	}
	for i, g := range c.circles {
		ids := []string{}
		for who := range g.members {
			ids = append(ids, c.staff[who].id)
		}
		name := fmt.Sprintf("Circle %d", i)
		lines = append(lines, map[string]any{
			"type":           "group",
			"id":             g.id,
			"organisationId": c.id,
			"name":           name,
			"playerIds":      ids,
		})
	}
	for _, s := range c.sittings {
		lines = append(lines, s.line(c))
	}
	for _, line := range lines {
		if err := e.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func (s sitting) line(c *company) map[string]any {
	skills := []map[string]any{}
	for _, k := range s.skills {
		skills = append(skills, map[string]any{"skillId": k, "attempts": 2, "correct": 1})
	}
	line := map[string]any{
		"type":      "play",
		"id":        s.id,
		"forkId":    c.fork,
		"playerId":  c.staff[s.who].id,
		"startedAt": s.at.Format(time.RFC3339Nano),
		"skills":    skills,
	}
	if s.completed {
		line["completedAt"] = s.at.Add(time.Minute).Format(time.RFC3339Nano)
		line["scorePercent"] = s.score
		line["passed"] = s.score >= 50
	}
	return line
}

// What follows is the truth, which counts and checks what the manager says.

// who are those of some people who played on days from and to, or between.
func (c *company) who(of people, from, to int) people {
	active := people{}
	for _, s := range c.sittings {
		if of[s.who] && from <= s.day && s.day <= to {
			active[s.who] = true
		}
	}
	return active
}

// played counts the sittings of some people.
func (c *company) played(of people, from, to int) (n int) {
	for _, s := range c.sittings {
		if of[s.who] && from <= s.day && s.day <= to {
			n++
		}
	}
	return n
}

func (c *company) everyone() people {
	all := people{}
	for i := range c.staff {
		all[i] = true
	}
	return all
}

// behind are the people behind pseudonyms.
func (c *company) behind(shown pseudonyms) people {
	found := people{}
	for i, p := range c.staff {
		if shown[p.pseudonym] {
			found[i] = true
		}
	}
	return found
}

// erase removes the sittings of somebody.
func (c *company) erase(who int) {
	c.sittings = slices.DeleteFunc(slices.Clone(c.sittings), func(s sitting) bool {
		return s.who == who
	})
	for i := range c.circles {
		delete(c.circles[i].members, who)
	}
}

// pseudonyms are the names or pseudonyms of players.
type pseudonyms = map[string]bool

// without is a set without another, and common is what both have.
func without[K comparable](a, b map[K]bool) map[K]bool {
	left := map[K]bool{}
	for k := range a {
		if !b[k] {
			left[k] = true
		}
	}
	return left
}

func common[K comparable](a, b map[K]bool) map[K]bool { return without(a, without(a, b)) }

// day writes a day as a date.
func (c *company) day(n int) string { return c.first.AddDate(0, 0, n).Format(time.DateOnly) }

func (c *company) at(path string) string {
	return "/o/" + c.slug + strings.ReplaceAll(path, "FORK", c.fork)
}
