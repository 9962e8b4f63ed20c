package chaos

import (
	"cmp"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// The tricks of this file find something only where the program is wrong.

// zeros tells hidden reports from those of groups that did not play: in files, their headers, and
// on screens.
func (s *snoop) zeros() {
	for _, l := range s.hiddenLooks() {
		for _, path := range []string{
			"GET /api/v1/forks/FORK/exports/csv", "HEAD /api/v1/forks/FORK/exports/csv",
			"HEAD /api/v1/forks/FORK/stats", "GET /o/SLUG/reports/FORK",
			"GET /o/SLUG/reports/FORK?player=P-&sort=label&skills=weakest&compare=off",
			"GET /o/SLUG/reports/FORK/plays.csv?format=excel-comma",
		} {
			method, path, _ := strings.Cut(strings.Replace(path, "SLUG", s.slug, 1), " ")
			path, more, _ := strings.Cut(path, "?")
			path += s.query(l) + "&" + more
			path = strings.TrimSuffix(path, "&")
			got, idle := s.both(method, strings.Replace(path, "FORK", s.fork, 1),
				strings.Replace(path, "FORK", s.idle, 1))
			s.compare(l, got, idle)
		}
	}
}

// both asks two things on one day: pages hold the day.
func (s *snoop) both(method, one, other string) (a, b curiousAnswer) {
	for day := ""; day != time.Now().UTC().Format(time.DateOnly); {
		day = time.Now().UTC().Format(time.DateOnly)
		a = s.fetch(method, one)
		b = s.fetch(method, other)
	}
	return a, b
}

// hiddenLooks are some of the periods that were hidden: those in which most members played, and one
// in which nobody did.
func (s *snoop) hiddenLooks() []look {
	var hidden []look
	for l, f := range s.seen {
		if l.circle != everybody && l.stage == s.stage && f.Suppressed {
			hidden = append(hidden, l)
		}
	}
	active := func(l look) int { return len(s.who(s.circles[l.circle].members, l.from, l.to)) }
	slices.SortFunc(hidden, func(a, b look) int {
		return cmp.Or(cmp.Compare(active(b), active(a)), cmp.Compare(a.circle, b.circle),
			cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return append(hidden[:min(apptest.ChaosSize(1, 12, 24), len(hidden))],
		hidden[max(0, len(hidden)-1):]...)
}

// comparison looks for a hidden period beside the next one.
func (s *snoop) comparison() {
	const middle = curiousDays / 2
	for g, c := range s.circles {
		if s.statistics(g, middle, lastCurious).Suppressed ||
			!s.statistics(g, 0, middle-1).Suppressed {
			continue
		}
		if !strings.Contains(s.page(g, middle, lastCurious, ""),
			"There is nothing to compare with in the previous period.") {
			s.say("comparison with a hidden period", s.who(c.members, 0, middle-1), true)
		}
	}
}

var listedPlayer = regexp.MustCompile(`<th scope="row" class="mono"><bdi>(P-[^<]+)</bdi></th>` +
	`<td class="n">([^<]+)</td><td class="n">([^<]+)</td><td>(.*?)</td><td>.*?datetime="([^"]+)"`)

// order looks for lists whose order is not that of what they show.
func (s *snoop) order() {
	all := s.whole(everybody).Players
	for i := 1; i < len(all); i++ {
		a := all[i-1]
		b := all[i]
		byFigures := cmp.Or(cmp.Compare(b.Plays, a.Plays),
			cmp.Compare(b.BestScorePercent, a.BestScorePercent))
		if cmp.Or(byFigures, cmp.Compare(a.PlayerLabel, b.PlayerLabel)) >= 0 {
			s.say("order of lists", s.behind(pseudonyms{a.PlayerLabel: true, b.PlayerLabel: true}),
				true)
		}
	}
	for column, key := range []string{"label", "plays", "best", "passed", "last"} {
		if !apptest.Chaos && column != 1 && column != s.leaver%5 {
			continue
		}
		rows := listedPlayer.FindAllStringSubmatch(
			s.page(everybody, 0, lastCurious, "&sort="+key+"&dir=asc"), -1,
		)
		require.Len(s.t, rows, min(len(all), 25))
		place := map[string]int{}
		for i, p := range all {
			place[p.PlayerLabel] = i
		}
		for i := 1; i < len(rows); i++ {
			a := rows[i-1][1+column]
			b := rows[i][1+column]
			if a == b && place[rows[i-1][1]] > place[rows[i][1]] {
				s.say("order of lists", s.behind(pseudonyms{rows[i-1][1]: true, rows[i][1]: true}),
					true)
			}
		}
	}
}

// explainRows looks for an order of rows that times and ids do not explain.
func (s *snoop) explainRows(rows [][]string) {
	for i := 1; i < len(rows); i++ {
		if a, b := rows[i-1],
			rows[i]; cmp.Or(strings.Compare(a[5], b[5]), strings.Compare(a[0], b[0])) >= 0 {
			s.say("order of lists", s.behind(pseudonyms{a[3]: true, b[3]: true}), true)
		}
	}
}

// search looks for people by their names, behind pseudonyms and in the group picker.
func (s *snoop) search() {
	who := 0
	for _, name := range []string{
		s.staff[who].name, "Person 0", s.staff[who].id,
	}[:apptest.ChaosSize(1, 3, 3)] {
		nobody := strings.Repeat("ж", len([]rune(name)))
		for _, path := range []string{
			"/reports/FORK" + s.query(look{s.stage, everybody, 0, lastCurious}) + "&player=",
			"/reports/FORK?find=",
		} {
			found, none := s.both(http.MethodGet, s.at(path)+escaped(name),
				s.at(path)+escaped(nobody))
			if unsearched(found.body, name) != unsearched(none.body, nobody) {
				s.say("search by name", people{who: true}, true)
			}
		}
	}
}

func escaped(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

func unsearched(page, text string) string {
	return strings.NewReplacer(text, "TEXT", escaped(text), "TEXT", url.QueryEscape(text), "TEXT").
		Replace(html.UnescapeString(page))
}

// errors looks for texts and headers of errors that differ from group to group, and for groups of
// others.
func (s *snoop) errors() {
	const day = "?from=2026-03-01&to=2026-03-01"
	for _, tail := range []string{
		"?from=2026-03-02&to=2026-03-01", "?from=2026-03-01", "?from=2024-01-01&to=2026-01-01",
		day + "&limit=1",
	} {
		texts := map[string]bool{}
		for _, g := range s.circles[:apptest.ChaosSize(2, 5, 5)] {
			texts[s.fetch(http.MethodGet, "/api/v1/forks/"+s.fork+"/stats"+tail+"&groupId="+g.id).
				body] = true
		}
		if len(texts) > 1 {
			s.say("texts of errors", s.everyone(), true)
		}
	}
	const unknown = "00000000-0000-4000-8000-000000000000"
	q := s.query(look{s.stage, everybody, 0, lastCurious}) + "&groupId="
	path := "/api/v1/forks/" + s.fork + "/stats" + q
	if a, b := s.both(http.MethodGet, path+unknown, path+s.foreign); a.status != b.status ||
		a.body != b.body {
		s.say("texts of errors", nil, true)
	}
}

// anotherKey compares what two keys see, and another browser tab.
func (s *snoop) anotherKey() {
	path := "/api/v1/forks/" + s.fork + "/exports/csv" +
		s.query(look{s.stage, everybody, 0, lastCurious})
	one := s.fetch(http.MethodGet, path).body
	s.asked += 100 - s.asked%100
	if s.fetch(http.MethodGet, path).body != one {
		s.say("another key", s.everyone(), true)
	}
}

var overviewFigure = regexp.MustCompile(`<dt>(Plays|Players)</dt>\s*<dd>([0-9,]+)</dd>`)

// overview looks for figures in the list of reports that the rows of everybody do not have.
func (s *snoop) overview() {
	got := s.fetch(http.MethodGet, s.at("/reports")).body
	want := map[string]int{"Plays": len(s.rowsNow()), "Players": len(playersOf(s.rowsNow()))}
	found := overviewFigure.FindAllStringSubmatch(got, -1)
	require.NotEmpty(s.t, found, got)
	for _, f := range found {
		if f[2] != strconv.Itoa(want[f[1]]) &&
			s.day(lastCurious) == time.Now().UTC().Format(time.DateOnly) {
			s.say("overview of all forks", s.everyone(), true)
		}
	}
}

// sortedByName looks for pseudonyms in the order of names, over all companies: their ranks agree no
// more than by chance.
func (f *findings) sortedByName(companies []*company) {
	agree := 0.0
	variance := 0.0
	for _, c := range companies {
		n := float64(len(c.staff))
		variance += n * (n - 1) * (2*n + 5) / 18 // Kendall
		for i := range c.staff {
			for j := range i {
				// names ascend
				agree += float64(strings.Compare(c.staff[i].pseudonym, c.staff[j].pseudonym))
			}
		}
	}
	if agree*agree > 36*variance {
		s := &snoop{company: companies[0], said: f}
		s.say("pseudonyms in the order of names", s.everyone(), true)
	}
}
