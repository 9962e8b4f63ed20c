package publicapi_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
)

// snoop is an attacker who compares the statistics of all players with those of a group, period by period: players of a
// period that shows zeros for the group are not in it, and at least one of a suppressed period is.
type snoop struct {
	t        *testing.T
	w        *world
	tokens   []apikeys.Token // a key is good for 120 requests a minute
	requests int
	innocent map[string]bool // labels outside the group
	suspects [][]string      // labels, of which each time one is of the group
	bodies   map[string]bool // what was answered for groups
}

// ask sends a request.
func (s *snoop) ask(path string) (stats ApiForkStatsDto, body string) {
	got := s.w.get(s.t, path, s.tokens[s.requests/110])
	s.requests++
	require.Equal(s.t, http.StatusOK, got.StatusCode, got.body)
	require.NoError(s.t, json.Unmarshal([]byte(got.body), &stats))
	return stats, got.body
}

// look asks for a period.
func (s *snoop) look(fork, group, from, to string) {
	path := "/api/v1/forks/" + fork + "/stats?from=" + from + "&to=" + to
	everybody, _ := s.ask(path)
	of, body := s.ask(path + "&groupId=" + group)
	s.bodies[body] = true
	var labels []string
	for _, p := range everybody.Players {
		labels = append(labels, p.PlayerLabel)
	}
	if of.Suppressed {
		s.suspects = append(s.suspects, labels)
		return
	}
	for _, label := range labels {
		s.innocent[label] = true
	}
}

// found returns the players who must be in the group. When no idle group shows zeros, a suppressed one reveals nothing.
func (s *snoop) found() []string {
	var found []string
	for _, labels := range s.suspects {
		left := slices.DeleteFunc(slices.Clone(labels), func(label string) bool { return s.innocent[label] })
		if len(s.innocent) > 0 && len(left) == 1 && !slices.Contains(found, left[0]) {
			found = append(found, left[0])
		}
	}
	return found
}

// rules.md, Anonymity: three members of a known group of five have played. Nobody finds out which by comparing
// zeros with suppressed answers: every answer about the group has the same bytes.
func TestIdleGroupsRevealNothing(t *testing.T) {
	t.Parallel()
	w := start(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	h := newHistory(random, 1, 40, 5)
	active := h.groups[0].members[:3]
	for who := range h.players {
		if slices.Contains(h.groups[0].members[3:], who) {
			continue
		}
		for range 1 + random.IntN(4) {
			started := day("2024-05-01").Add(time.Duration(random.IntN(90*24)) * time.Hour)
			h.plays = append(h.plays, play{id: newID(random), fork: h.forks[0], player: who, started: started})
		}
	}
	w.load(t, h)
	s := &snoop{t: t, w: w, innocent: map[string]bool{}, bodies: map[string]bool{}}
	for range 10 {
		s.tokens = append(s.tokens, w.key(t, h.id))
	}
	for s.requests < 1_000 && len(s.found()) < len(active) {
		from := day("2024-05-01").AddDate(0, 0, random.IntN(90))
		s.look(h.forks[0], h.groups[0].id, from.Format(time.DateOnly), from.AddDate(0, 0, random.IntN(3)).Format(time.DateOnly))
	}
	require.Empty(t, s.found(), "of 3 members who played, in %d requests", s.requests)
	require.Len(t, s.bodies, 1)
}
