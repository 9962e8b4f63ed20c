package demo

import (
	"math"
	"slices"
	"time"
)

// campaignDays is how long a campaign lasts.
const campaignDays = 14

// writePlays writes the plays of two years, day by day in the order of time.
func (d *demo) writePlays(o demoOrganisation, forks []liveFork, people []*person) error {
	for ago := 730; ago >= 0; ago-- {
		var plays []play
		for i := range forks {
			f := &forks[i]
			for range d.playsOfDay(o, f, ago) {
				if p, ok := d.play(f, people, ago); ok {
					plays = append(plays, p)
				}
			}
		}
		slices.SortFunc(plays, func(a, b play) int { return a.StartedAt.Compare(b.StartedAt) })
		for i := range plays {
			if err := d.file.write(&plays[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// playsOfDay draws how many plays of a fork start on a day.
func (d *demo) playsOfDay(o demoOrganisation, f *liveFork, ago int) int {
	if ago > f.deployed || ago < f.ended {
		return 0
	}
	rate := o.daily / 3 * f.weight * season(d.today.AddDate(0, 0, -ago))
	if since := f.deployed - ago; since/f.campaignEvery < f.campaigns &&
		since%f.campaignEvery < campaignDays {
		rate *= 3.5 // the last days of a campaign see the most
		rate *= 0.6 + 0.8*float64(since%f.campaignEvery)/campaignDays
	}
	n := int(math.Round(rate + math.Sqrt(rate)*d.random.NormFloat64()))
	return max(n, 0)
}

// season returns how busy a day is. Weekends, the summer and the end of the year are quiet.
func season(date time.Time) float64 {
	busy := 1.0
	switch date.Weekday() {
	case time.Saturday, time.Sunday:
		busy = 0.04
	case time.Friday:
		busy = 0.7
	case time.Tuesday:
		busy = 1.2
	}
	switch _, month, day := date.Date(); {
	case month == time.August, month == time.July && day > 20:
		busy *= 0.4
	case month == time.December && day > 20, month == time.January && day < 4:
		busy *= 0.1
	}
	return busy
}

// play draws one play; ok is false if it would start in the future or no player is active on the
// day.
func (d *demo) play(f *liveFork, people []*person, ago int) (play, bool) {
	who := d.pick(people, ago)
	started := d.today.AddDate(0, 0, -ago).Add(d.drawTimeOfDay())
	if who == nil || started.After(d.now) {
		return play{}, false
	}
	p := play{
		Type:          "play",
		ID:            d.random.id(),
		ForkID:        f.id,
		PlayerID:      who.id,
		StartedAt:     started,
		ReleaseNumber: f.release(ago),
	}
	if d.random.chance(0.01) {
		p.ReleaseNumber = 0 // a preview
	}
	// Learning saturates: the first plays of a fork teach the most.
	skill := who.ability + 0.3*(1-math.Exp(-who.pace*8*float64(who.plays[f.id]))) - f.difficulty
	who.plays[f.id]++
	correct, attempts := d.answer(&p, f.skills, skill)
	duration := time.Duration(math.Exp(math.Log(9)+0.45*d.random.NormFloat64())*60_000) *
		time.Millisecond
	completed := started.Add(duration)
	if d.random.chance(0.16-0.1*min(max(skill, 0), 1)) || completed.After(d.now) {
		p.Skills = p.Skills[:len(p.Skills)/2] // given up half way, or still going on
		return p, true
	}
	p.finish(completed, (correct*100_00*2+attempts)/(attempts*2))
	return p, true
}

// answer draws answers to three to five of the fork's skills.
func (d *demo) answer(p *play, skills []string, ability float64) (correct, attempts int) {
	for n, at := range d.random.Perm(len(skills))[:3+d.random.IntN(3)] {
		s := skillResult{SkillID: skills[at], Attempts: 1 + d.random.IntN(4)}
		hard := 0.05 * float64(at%4) // some skills are harder for all players
		for range s.Attempts {
			if d.random.chance(min(max(ability-hard+0.02*float64(n), 0.08), 0.98)) {
				s.Correct++
			}
		}
		p.Skills = append(p.Skills, s)
		correct += s.Correct
		attempts += s.Attempts
	}
	return correct, attempts
}

// pick draws one of the day's players, weighted by activity.
func (d *demo) pick(people []*person, ago int) *person {
	total := 0.0
	for _, p := range people {
		if p.joined >= ago && p.left <= ago {
			total += p.activity
		}
	}
	at := d.random.Float64() * total
	for _, p := range people {
		if p.joined >= ago && p.left <= ago {
			if at -= p.activity; at < 0 {
				return p
			}
		}
	}
	return nil
}

// drawTimeOfDay draws when a play starts: around 10:00 or 15:00, rarely in the evening.
func (d *demo) drawTimeOfDay() time.Duration {
	hour := 10 + 1.2*d.random.NormFloat64()
	switch r := d.random.Float64(); {
	case r < 0.07:
		hour = 19.5 + 1.3*d.random.NormFloat64()
	case r < 0.45:
		hour = 14.8 + 1.1*d.random.NormFloat64()
	}
	hour = min(max(hour, 0), 23.9)
	return time.Duration(hour * float64(time.Hour)).Truncate(time.Millisecond)
}

// release returns the fork's release on a day. Releases are spread evenly over its life.
func (f *liveFork) release(ago int) int {
	return 1 + (f.deployed-ago)*f.releases/(f.deployed-f.ended+1)
}
