package chaos

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// snoop is the curious manager of a company, with keys and a signed-in browser, and what was seen
// so far.
type snoop struct {
	*company
	t          *testing.T
	db         *fixtures.Database
	http       *http.Client
	base       string
	cookie     string
	key        string
	asked      int
	stage      int // counts the changes of the company
	seen       map[look]figures
	said       *findings
	exported   map[string]curiousRow // of everybody
	exportedAt int                   // which stage
	unplayed   curiousAnswer         // statistics of a group on the fork that nobody ever played
	foreign    string                // a group of another organisation
}

// look is a report that was asked for. everybody is the circle of a report without a group.
type look struct{ stage, circle, from, to int }

const everybody = -1

// figures are what the API answers.
type figures struct {
	Suppressed           bool
	Plays, UniquePlayers int
	Daily                []struct{ Plays int }
	Players              []struct {
		PlayerLabel, LastPlayedAt string
		Plays                     int
		BestScorePercent          float64
		Passed                    bool
	}
	Skills []struct {
		SkillID  string
		Attempts int
	}
}

func (f figures) shown() pseudonyms {
	all := pseudonyms{}
	for _, p := range f.Players {
		all[p.PlayerLabel] = true
	}
	return all
}

type curiousAnswer struct {
	status int
	header http.Header
	body   string
}

// fetch sends a request, with a key where the path is the API's. A key is good for 120 requests a
// minute.
func (s *snoop) fetch(method, path string) curiousAnswer {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, http.NoBody)
	require.NoError(s.t, err)
	if strings.HasPrefix(path, "/api/") {
		if s.asked%100 == 0 {
			s.key = s.db.Key(s.id).Token()
		}
		s.asked++
		request.Header.Set("Authorization", "Bearer "+s.key)
	} else {
		request.Header.Set("Accept", "text/html")
		request.Header.Set("Sec-Fetch-Site", "same-origin")
		request.AddCookie(&http.Cookie{Name: "__Host-dg", Value: s.cookie})
	}
	s.said.requests.Add(1)
	response, err := s.http.Do(request)
	require.NoError(s.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	return curiousAnswer{response.StatusCode, response.Header, string(body)}
}

// query is that of a report on a circle over some days.
func (s *snoop) query(l look) string {
	q := "?from=" + s.day(l.from) + "&to=" + s.day(l.to)
	if l.circle != everybody {
		q += "&groupId=" + s.circles[l.circle].id
	}
	return q
}

// statistics asks for a report once.
func (s *snoop) statistics(circle, from, to int) figures {
	s.t.Helper()
	l := look{s.stage, circle, from, to}
	if f, ok := s.seen[l]; ok || from > to {
		f.Suppressed = f.Suppressed || from > to
		return f
	}
	got := s.fetch(http.MethodGet, "/api/v1/forks/"+s.fork+"/stats"+s.query(l))
	require.Equal(s.t, http.StatusOK, got.status, got.body)
	var f figures
	require.NoError(s.t, json.Unmarshal([]byte(got.body), &f))
	if f.Plays == 0 && circle != everybody {
		if s.unplayed.status == 0 { // nothing in it depends on group and period
			s.unplayed = s.fetch(http.MethodGet, "/api/v1/forks/"+s.idle+"/stats"+s.query(l))
		}
		s.compare(l, got, s.unplayed)
	}
	s.seen[l] = f
	return f
}

// whole is the report over all days.
func (s *snoop) whole(circle int) figures { return s.statistics(circle, 0, lastCurious) }

// rows exports plays, by their ids.
func (s *snoop) rows(circle, from, to int) map[string]curiousRow {
	s.t.Helper()
	l := look{s.stage, circle, from, to}
	got := s.fetch(http.MethodGet, "/api/v1/forks/"+s.fork+"/exports/csv"+s.query(l))
	require.Equal(s.t, http.StatusOK, got.status, got.body)
	lines, err := csv.NewReader(strings.NewReader(got.body)).ReadAll()
	require.NoError(s.t, err)
	all := map[string]curiousRow{}
	s.explainRows(lines[1:])
	for _, v := range lines[1:] {
		all[v[0]] = curiousRow{key: v[3], label: v[4], day: v[5][:10], skills: v[11]}
	}
	return all
}

type curiousRow struct{ key, label, day, skills string }

// players are those of some rows.
func playersOf(rows map[string]curiousRow) pseudonyms {
	all := pseudonyms{}
	for _, r := range rows {
		all[r.key] = true
	}
	return all
}

// page opens a report on the screen.
func (s *snoop) page(circle, from, to int, more string) string {
	s.t.Helper()
	l := look{s.stage, circle, from, to}
	got := s.fetch(http.MethodGet, s.at("/reports/FORK"+s.query(l)+more))
	require.Equal(s.t, http.StatusOK, got.status, got.body)
	return got.body
}

// uncertain are headers that no data decides.
var uncertain = regexp.MustCompile(`^(Date|X-Request-Id|Ratelimit|Ratelimit-Policy)$`)

// compare tells a report on a group without figures from the same one on a fork that nobody ever
// played, by anything that can be observed but the time: status, headers, sizes and texts.
func (s *snoop) compare(l look, got, idle curiousAnswer) {
	require.Equal(s.t, http.StatusOK, got.status, got.body)
	active := s.who(s.circles[l.circle].members, l.from, l.to)
	if s.said.compared.Add(1); len(active) > 0 {
		s.said.hiding.Add(1)
	}
	if got.observed(s.fork, "a-fork") != idle.observed(s.idle, "b-fork") {
		s.say("zeros against hidden", active, len(active) > 0)
	}
}

// observed is all of an answer but the fork's own id and slug.
func (a curiousAnswer) observed(id, slug string) string {
	maps.DeleteFunc(a.header, func(name string, _ []string) bool {
		return uncertain.MatchString(name)
	})
	// maps are printed in order
	return strings.NewReplacer(id, "FORK", slug, "SLUG").
		Replace(fmt.Sprint(a.status, a.header, a.body))
}

// findings are what tricks say about people, over all companies.
type findings struct {
	requests atomic.Int64
	// answers that hide something, and those of them on a group of which somebody played
	compared, hiding atomic.Int64

	mu     sync.Mutex
	tricks map[string]*finding
}

// finding counts what a trick said, the people it said something of, and what was wrong.
type finding struct {
	said, wrong int
	people      map[string]bool
}

// say counts a statement of a trick. people are those who it is about.
func (s *snoop) say(trick string, about people, holds bool) {
	s.said.mu.Lock()
	defer s.said.mu.Unlock()
	f := s.said.tricks[trick]
	if f == nil {
		f = &finding{people: map[string]bool{}}
		s.said.tricks[trick] = f
	}
	f.said++
	for who := range about {
		f.people[s.staff[who].id] = true
	}
	if !holds {
		f.wrong++
	}
}

// rowsNow are the plays of everybody, exported once after each change.
func (s *snoop) rowsNow() map[string]curiousRow {
	s.t.Helper()
	if s.exported == nil || s.exportedAt != s.stage {
		s.exported = s.rows(everybody, 0, lastCurious)
		s.exportedAt = s.stage
	}
	return s.exported
}
