package chaos

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// few is the fewest people whom a report on a group may be about.
const few = 5

// sayWho states which pseudonyms some people have, those of them who played. Five and more are not
// singled out.
func (s *snoop) sayWho(trick string, of people, shown pseudonyms) {
	if len(of) == 0 || len(of) >= few {
		return
	}
	truth := pseudonyms{}
	for who := range s.who(of, 0, lastCurious) {
		truth[s.staff[who].pseudonym] = true
	}
	s.say(trick, of, maps.Equal(truth, shown))
	if len(of) == 1 && len(shown) == 1 {
		s.say(trick+", to a name", of, maps.Equal(truth, shown))
	}
}

// differ compares groups over all days: with one another, and with everybody.
func (s *snoop) differ() {
	all := s.whole(everybody).shown()
	for g, a := range s.circles {
		of := s.whole(g)
		if of.Suppressed {
			continue
		}
		s.sayWho("group against everybody", without(s.everyone(), a.members),
			without(all, of.shown()))
		for h, b := range s.circles {
			other := s.whole(h)
			apart := without(a.members, b.members)
			switch {
			case g == h:
			case !other.Suppressed:
				s.sayWho("two groups", apart, without(of.shown(), other.shown()))
				s.sayWho("two groups", common(a.members, b.members),
					common(of.shown(), other.shown()))
			case len(apart) < few && len(of.Players) >= few && len(apart) > 0:
				atLeast := len(of.Players) - (few - 1) // at most four of the hidden group played
				s.say("hidden group inside a shown one", apart,
					len(s.who(apart, 0, lastCurious)) >= atLeast)
			}
		}
	}
	s.differAll(all)
}

// differAll tells people apart by the shown groups that they are in.
func (s *snoop) differAll(all pseudonyms) {
	sameGroups := map[string]people{}
	sameLists := map[string]pseudonyms{}
	for who := range s.staff {
		add(sameGroups, s.signature(func(g int) bool { return s.circles[g].members[who] }), who)
	}
	for p := range all {
		add(sameLists, s.signature(func(g int) bool { return s.whole(g).shown()[p] }), p)
	}
	for signature, of := range sameGroups {
		s.sayWho("all groups together", of, sameLists[signature])
	}
}

// signature writes in which shown groups somebody is.
func (s *snoop) signature(in func(circle int) bool) string {
	var b strings.Builder
	for g := range s.circles {
		switch {
		case s.whole(g).Suppressed:
		case in(g):
			b.WriteByte('1')
		default:
			b.WriteByte('0')
		}
	}
	return b.String()
}

func add[K comparable](sets map[string]map[K]bool, key string, v K) {
	if sets[key] == nil {
		sets[key] = map[K]bool{}
	}
	sets[key][v] = true
}

// days finds single days that are hidden in reports on a group over more days.
func (s *snoop) days(busy []int) {
	for g, c := range s.circles {
		whole := s.whole(g)
		for _, d := range busy {
			alone := s.statistics(g, d, d)
			for _, f := range []struct{ longer, shorter figures }{
				{s.statistics(g, d, lastCurious), s.statistics(g, d+1, lastCurious)},
				{s.statistics(g, 0, d), s.statistics(g, 0, d-1)},
			} {
				if n := f.longer.Plays - f.shorter.Plays; alone.Suppressed &&
					!f.longer.Suppressed &&
					!f.shorter.Suppressed && n > 0 {
					s.say("two periods, a day apart", s.who(c.members, d, d),
						s.played(c.members, d, d) == n)
				}
			}
			if !whole.Suppressed && alone.Suppressed && whole.Daily[d].Plays > 0 {
				s.say("days of a shown group", s.who(c.members, d, d),
					s.played(c.members, d, d) == whole.Daily[d].Plays)
			}
			s.unanimous(g, d, d)
		}
		s.unanimous(g, 0, lastCurious)
		s.rowsBehind(g)
	}
}

var weekRow = regexp.MustCompile(`<tr data-days="(\d)">.*?<td class="n">([0-9,]+)</td>`)

// weeks finds weeks that are hidden in a report on a group over more weeks.
func (s *snoop) weeks() {
	for g, c := range s.circles {
		const from = -92
		if s.statistics(g, from, lastCurious).Suppressed {
			continue
		}
		next := from
		for _, row := range weekRow.FindAllStringSubmatch(s.page(g, from, lastCurious, ""), -1) {
			days, _ := strconv.Atoi(row[1])
			if n, _ := strconv.Atoi(row[2]); n > 0 && next >= 0 &&
				s.statistics(g, next, next+days-1).Suppressed {
				s.say("weeks of a shown group", s.who(c.members, next, next+days-1),
					n == s.played(c.members, next, next+days-1))
			}
			next += days
		}
		return
	}
}

// unanimous finds what holds for every member of a group, and so for each.
func (s *snoop) unanimous(g, from, to int) {
	f := s.statistics(g, from, to)
	members := s.circles[g].members
	if f.Suppressed || f.UniquePlayers < len(members) {
		return
	}
	s.say("all members played", members, len(s.who(members, from, to)) == len(members))
	for _, p := range f.Players {
		if !p.Passed {
			return
		}
	}
	s.say("all members passed", members, true)
}

// rowsBehind finds the figures of a group's hidden periods: where it is shown over more days, its
// pseudonyms are known, and the rows of everybody have them.
func (s *snoop) rowsBehind(g int) {
	shown := s.whole(g)
	if shown.Suppressed {
		return
	}
	members := s.circles[g].members
	for l, f := range maps.Clone(s.seen) {
		if l.circle != g || l.stage != s.stage || !f.Suppressed || l.from < 0 {
			continue
		}
		n := 0
		for _, r := range s.rowsNow() {
			if shown.shown()[r.key] && s.day(l.from) <= r.day && r.day <= s.day(l.to) {
				n++
			}
		}
		active := s.who(members, l.from, l.to)
		if n > 0 {
			s.say("rows of everybody, hidden periods", active, n == s.played(members, l.from, l.to))
		} else {
			s.say("rows of everybody, idle periods", nil, len(active) == 0)
		}
	}
}

// skills finds answers of few in a shown group: its file says whose.
func (s *snoop) skills() {
	for g, c := range s.circles {
		if s.whole(g).Suppressed {
			continue
		}
		of := pseudonyms{}
		rows := s.rows(g, 0, lastCurious)
		s.say("rows of a shown group", s.behind(playersOf(rows)),
			len(rows) == s.played(c.members, 0, lastCurious))
		for _, r := range rows {
			if strings.Contains(r.skills, rareSkill) {
				of[r.key] = true
			}
		}
		attempts := slices.IndexFunc(s.whole(g).Skills, func(k struct {
			SkillID  string
			Attempts int
		}) bool {
			return k.SkillID == rareSkill
		})
		if len(of) > 0 && len(of) < few {
			s.say("skills answered by few", s.behind(of), attempts >= 0)
		}
	}
}

// joining tells by the roster who can have played: before others came, and after they left.
func (s *snoop) joining() {
	for d := range lastCurious {
		early := people{}
		late := people{}
		for who, p := range s.staff {
			if p.came <= d {
				early[who] = true
			}
			if p.left >= d {
				late[who] = true
			}
		}
		before := pseudonyms{}
		after := pseudonyms{}
		for _, r := range s.rowsNow() {
			if r.day <= s.day(d) {
				before[r.key] = true
			}
			if r.day >= s.day(d) {
				after[r.key] = true
			}
		}
		s.sayAmong("when people came and left", early, before)
		s.sayAmong("when people came and left", late, after)
	}
}

// sayAmong states that pseudonyms are among some people.
func (s *snoop) sayAmong(trick string, of people, shown pseudonyms) {
	if len(of) > 0 && len(of) < few && len(shown) > 0 {
		s.say(trick, of, len(without(s.behind(shown), of)) == 0)
	}
}
