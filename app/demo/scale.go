package demo

import (
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
)

// Size is how large a data set of Scale is.
type Size struct {
	Plays, Players int
	Forks          int // the plays are spread evenly; 0 means 1
	// the first fork has half of the plays; the others share the rest evenly
	Uneven bool
	// write only part Part (from 1) of Parts equal parts by time; 0 and 0: all plays
	Part, Parts int
	Days        int   // over how many days up to now the plays are spread; 0 means 400
	Groups      []int // the sizes of the groups, each of the first players
}

// ScaleIDs are the ids that a caller needs to read a data set of Scale.
type ScaleIDs struct {
	Organisation  uuid.UUID
	Forks, Groups []uuid.UUID
}

// skillsInTurn are the skills that a play of Scale has answers to, in turn.
var skillsInTurn = allSkills()

// Scale writes an organisation on Enterprise with the players, groups, forks and plays asked for:
// 5.5 answers a play, nine of ten plays finished, in the order of time. It streams: its memory does
// not grow with the number of plays.
func Scale(w io.Writer, seed uint64, now time.Time, size Size) (ScaleIDs, error) {
	size.Forks = max(size.Forks, 1)
	if size.Days == 0 {
		size.Days = 400
	}
	f := newFile(w)
	random := newSeeded(seed)
	ids, players, err := scaleOrganisation(f, random, now, size)
	if err != nil {
		return ids, err
	}
	period := time.Duration(size.Days) * 24 * time.Hour
	start := now.UTC().Truncate(time.Millisecond).Add(-period)
	p := play{Type: "play"}
	first := 0
	end := size.Plays
	if size.Parts > 0 {
		first = size.Plays * (size.Part - 1) / size.Parts
		end = size.Plays * size.Part / size.Parts
		random = newSeeded(seed + uint64(size.Part))
	}
	for i := first; i < end; i++ {
		p.ID = random.id()
		p.ForkID = ids.Forks[size.fork(i)]
		p.PlayerID = players[random.IntN(size.Players)]
		p.ReleaseNumber = 1 + i*8/size.Plays
		p.StartedAt = start.Add(time.Duration(float64(period) * float64(i) / float64(size.Plays))).
			Truncate(time.Millisecond)
		scaleResult(&p, random)
		if err := f.write(&p); err != nil {
			return ids, err
		}
	}
	return ids, f.out.Flush()
}

// fork is the number of the fork of a play.
func (s Size) fork(play int) int {
	switch {
	case !s.Uneven:
		return play % s.Forks
	case play%2 == 0:
		return 0
	}
	return 1 + play/2%(s.Forks-1)
}

func scaleResult(p *play, random seeded) {
	bits := random.Uint64()
	draw := func(n uint64) int {
		d := bits % n
		bits /= n
		return int(d)
	}
	p.Skills = p.Skills[:0]
	first := draw(30)
	for i := range 2 + draw(3) { // 3 skills of 1.83 answers: 5.5
		attempts := 1 + draw(6)%3
		if attempts == 3 && draw(2) == 0 {
			attempts = 2
		}
		p.Skills = append(p.Skills,
			skillResult{skillsInTurn[(first+i*7)%30], attempts, min(draw(4), attempts)})
	}
	finished := draw(10) > 0
	completed := p.StartedAt.Add(time.Duration(60_000+draw(1_200_000)) * time.Millisecond)
	score := min(2000+draw(8500), 10000)
	p.CompletedAt = nil
	p.ScorePercent = nil
	p.Passed = nil
	if finished {
		p.finish(completed, score)
	}
}

func scaleOrganisation(
	f *file, random seeded, now time.Time, size Size,
) (ScaleIDs, []uuid.UUID, error) {
	now = now.UTC().Truncate(time.Millisecond)
	ids := ScaleIDs{Organisation: random.id()}
	gameID := random.id()
	release := 8
	objects := []any{
		organisation{
			"organisation", ids.Organisation, "scale-" + ids.Organisation.String()[:8], "Scale",
			"enterprise", "pseudonymous",
		},
		game{"game", gameID, "scale", "Scale"},
	}
	for i := range size.Forks {
		ids.Forks = append(ids.Forks, random.id())
		objects = append(objects, fork{
			Type:                  "fork",
			ID:                    ids.Forks[i],
			OrganisationID:        ids.Organisation,
			GameID:                gameID,
			Slug:                  fmt.Sprintf("fork-%d", i+1),
			Title:                 fmt.Sprintf("Fork %d", i+1),
			Major:                 1,
			Status:                "active",
			Visibility:            "organization",
			SourceLocale:          "en",
			DeployedReleaseNumber: &release,
			CreatedAt:             now,
			UpdatedAt:             now,
		})
	}
	players := make([]uuid.UUID, size.Players)
	for i := range players {
		players[i] = random.id()
		objects = append(objects,
			player{"player", players[i], ids.Organisation, fmt.Sprintf("Player %d", i+1)})
	}
	for i, n := range size.Groups {
		ids.Groups = append(ids.Groups, random.id())
		objects = append(objects,
			group{
				"group", ids.Groups[i], ids.Organisation, fmt.Sprintf("Group of %d", n),
				players[:n],
			})
	}
	for _, o := range objects {
		if err := f.write(o); err != nil {
			return ids, nil, err
		}
	}
	return ids, players, nil
}
