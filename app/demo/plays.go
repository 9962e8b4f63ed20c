package demo

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"dg/modules/games"
)

const day = 24 * time.Hour

//go:embed organisations.ndjson
var organisations []byte

// Write writes the demo in the import format, with the plays up to now. Plays that have ended
// do not depend on now, so that the documentation's sample responses match every demo.
func Write(w io.Writer, now time.Time) error {
	g := generator{
		out:     bufio.NewWriter(w),
		now:     now.UTC().Truncate(time.Millisecond),
		players: map[string][]player{},
	}
	g.reseed("the demo is the same each time: ")
	for line := range bytes.Lines(organisations) {
		if err := g.writeLine(line); err != nil {
			return err
		}
	}
	for i := range g.forks {
		if err := g.writePlays(&g.forks[i]); err != nil {
			return err
		}
	}
	return g.out.Flush()
}

type generator struct {
	out     *bufio.Writer
	now     time.Time
	source  *rand.ChaCha8
	random  *rand.Rand
	forks   []fork              // forks that have a release
	players map[string][]player // players by organisation, in order of joining
}

// reseed restarts the random numbers. Equal texts, of at least 32 bytes, give equal numbers.
func (g *generator) reseed(text string) {
	g.source = rand.NewChaCha8([32]byte([]byte(text)))
	g.random = rand.New(g.source) //nolint:gosec // the demo is the same each time
}

func (g *generator) writeLine(line []byte) error {
	var object struct {
		Type string
		fork
	}
	if err := json.Unmarshal(line, &object); err != nil {
		return err
	}
	switch {
	case object.Type == "player":
		g.players[object.OrganisationID] = append(g.players[object.OrganisationID],
			player{id: object.ID, ability: 0.6 + 0.14*g.random.NormFloat64()})
	case object.Type == "fork" && object.DeployedReleaseNumber > 0:
		g.forks = append(g.forks, object.fork)
	}
	_, err := g.out.Write(line)
	return err
}

type fork struct {
	ID, OrganisationID    string
	GameID, Status        string
	Suspended             bool
	DeployedReleaseNumber int
	CreatedAt, UpdatedAt  time.Time
}

type player struct {
	id      string
	ability float64
}

type play struct {
	Type          string        `json:"type"`
	ID            uuid.UUID     `json:"id"`
	ForkID        string        `json:"forkId"`
	PlayerID      string        `json:"playerId"`
	ReleaseNumber int           `json:"releaseNumber,omitempty"`
	StartedAt     time.Time     `json:"startedAt"`
	CompletedAt   *time.Time    `json:"completedAt,omitempty"`
	ScorePercent  *float64      `json:"scorePercent,omitempty"`
	Passed        *bool         `json:"passed,omitempty"`
	Skills        []skillResult `json:"skills"`
}

type skillResult struct {
	SkillID  string `json:"skillId"`
	Attempts int    `json:"attempts"`
	Correct  int    `json:"correct"`
}

// firstSkillByGame maps a game to the first of its nine consecutive skills.
var firstSkillByGame = map[string]int{
	"8ef841b7-252d-45bf-8936-b455777e8322": 0,  // Prompt Harbour
	"ba1e27c3-f129-4fda-a7d4-09cc78b47780": 3,  // Data Detectives
	"42f2325a-48d4-4878-8238-35384fee0306": 21, // Agents on Watch
	"7133c223-311a-4614-beac-9b2c11b06145": 12, // The Data Council
}

const skillsPerGame = 9

const passPercent = 70

func (g *generator) writePlays(f *fork) error {
	g.reseed(f.ID)
	firstDay := f.CreatedAt.Truncate(day).Add(day)
	end, grownAt := g.now, firstDay.AddDate(2, 0, 0)
	if f.Suspended || f.Status == "archived" {
		end, grownAt = f.UpdatedAt, f.UpdatedAt
	}
	playCounts := map[string]int{} // by player
	encoder := json.NewEncoder(g.out)
	for date := firstDay; date.Before(end); date = date.Add(day) {
		age := min(float64(date.Sub(firstDay))/float64(grownAt.Sub(firstDay)), 1)
		for range g.playCount(f, date) {
			p := g.newPlay(f, date, age, playCounts)
			if p.StartedAt.After(g.now) {
				continue
			}
			if err := encoder.Encode(p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *generator) playCount(f *fork, date time.Time) int {
	players := float64(len(g.players[f.OrganisationID]))
	rate := players / 240 * float64(f.DeployedReleaseNumber) * activity(date)
	return max(0, int(math.Round(rate+math.Sqrt(rate)*g.random.NormFloat64())))
}

// activity returns a day's weight in the number of plays. Each quarter has a two-week campaign.
func activity(date time.Time) float64 {
	_, month, dayOfMonth := date.Date()
	switch {
	case date.Weekday() == time.Saturday, date.Weekday() == time.Sunday:
		return 0.04
	case month == time.December && dayOfMonth > 20, month == time.January && dayOfMonth < 4:
		return 0.1
	case month == time.August:
		return 0.4
	case date.YearDay()%91 < 14:
		return 3
	}
	return 1
}

// newPlay returns a random play. age grows from 0 to 1 while the fork gets players and releases.
func (g *generator) newPlay(f *fork, date time.Time, age float64, playCounts map[string]int) play {
	player := g.pickPlayer(g.players[f.OrganisationID], age)
	p := play{
		Type:          "play",
		ID:            uuid.Must(uuid.NewRandomFromReader(g.source)),
		ForkID:        f.ID,
		PlayerID:      player.id,
		StartedAt:     date.Add(g.randomTimeOfDay()),
		ReleaseNumber: min(1+int(age*float64(f.DeployedReleaseNumber)), f.DeployedReleaseNumber),
	}
	if g.random.IntN(100) == 0 {
		p.ReleaseNumber = 0 // a preview has no release
	}
	// Learning saturates: the first plays of a fork teach the most.
	ability := player.ability + 0.2*(1-math.Exp(-float64(playCounts[player.id])/4))
	correctShare := g.addSkills(&p, firstSkillByGame[f.GameID], ability)
	playCounts[player.id]++
	completedAt := p.StartedAt.Add(g.randomDuration())
	if g.random.IntN(10) == 0 || completedAt.After(g.now) {
		p.Skills = p.Skills[:1] // the play was given up, or is still running
		return p
	}
	p.CompletedAt = &completedAt
	p.ScorePercent = new(math.Round(correctShare*10_000) / 100)
	p.Passed = new(*p.ScorePercent >= passPercent)
	return p
}

// pickPlayer returns a player, more often one who joined early. The last 5% to join never play.
func (g *generator) pickPlayer(players []player, age float64) player {
	joined := float64(len(players)) * (0.4 + 0.55*age)
	quantile := g.random.Float64()
	return players[int(joined*quantile*quantile)]
}

func (g *generator) randomTimeOfDay() time.Duration {
	hour := min(max(12.5+2.5*g.random.NormFloat64(), 0), 23.9)
	return time.Duration(hour * float64(time.Hour)).Truncate(time.Millisecond)
}

func (g *generator) randomDuration() time.Duration {
	minutes := 9 * math.Exp(0.45*g.random.NormFloat64())
	return time.Duration(minutes * float64(time.Minute)).Truncate(time.Millisecond)
}

// addSkills adds random skill results to the play, and returns the share of correct attempts.
func (g *generator) addSkills(p *play, firstSkill int, ability float64) (correctShare float64) {
	attempts := 0
	correct := 0
	for _, offset := range g.random.Perm(skillsPerGame)[:3+g.random.IntN(3)] {
		s := skillResult{
			SkillID:  games.Skill(firstSkill + offset).ID(),
			Attempts: 1 + g.random.IntN(4),
		}
		for range s.Attempts {
			if g.random.Float64() < min(max(ability, 0.08), 0.98) {
				s.Correct++
			}
		}
		p.Skills = append(p.Skills, s)
		attempts += s.Attempts
		correct += s.Correct
	}
	return float64(correct) / float64(attempts)
}
