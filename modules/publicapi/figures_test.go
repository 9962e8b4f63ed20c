package publicapi_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/games"
	"dg/platform/testkit/oracle"
)

// question asks the API and the oracle about a history.
type question struct {
	history *history
	oracle.Query
	group *group
}

// ask returns a question about the first fork of a history. The players' labels are their keys
// under pseudonymous reporting, otherwise their names.
func ask(h *history, from, to string) question {
	q := oracle.Query{Fork: h.forks[0], From: day(from), To: day(to), Mode: h.mode}
	for i := range games.SkillCount {
		q.Skills = append(q.Skills, games.Skill(i).ID())
	}
	for _, p := range h.players {
		q.Keys = append(q.Keys, p.Label)
		q.Labels = append(q.Labels,
			map[string]string{"pseudonymous": p.Label, "nominative": p.Name}[h.mode])
	}
	return question{history: h, Query: q}
}

// report has the fields of the statistics that tests read.
type report struct {
	Suppressed bool
	Players    []struct{ PlayerLabel string }
}

// requireAgreement compares the statistics and the CSV of the API with the oracle's.
func (o question) requireAgreement(t *testing.T, w *world, token apikeys.Token) report {
	t.Helper()
	query := "?from=" + o.From.Format(time.DateOnly) + "&to=" + o.To.Format(time.DateOnly)
	if o.group != nil {
		query += "&groupId=" + o.group.id
		o.Members = map[int]bool{}
		for _, m := range o.group.members {
			o.Members[m] = true
		}
	}
	stats := w.get(t, "/api/v1/forks/"+o.Fork+"/stats"+query, token)
	s := decoded[report](t, stats)
	require.JSONEq(t, jsonOf(o.Statistics(slices.Values(o.history.plays))), stats.body)
	file := w.get(t, "/api/v1/forks/"+o.Fork+"/exports/csv"+query, token)
	require.Equal(t, http.StatusOK, file.StatusCode, file.body)
	require.Equal(t, o.CSV(o.history.plays), file.body)
	require.Equal(t, s.Suppressed, file.Header.Get("X-DG-Report-Suppressed") == "k-anonymity")
	return s
}

// rules.md, Figures: the oracle agrees with the API on random organisations, with and without
// groups, in both modes, over leap days, turns of the year and the first and last millisecond of a
// day.
func TestFiguresAgreeWithTheOracle(t *testing.T) {
	t.Parallel()
	w := start(t)
	random := rand.New(rand.NewPCG(rand.Uint64(), 0))
	periods := [][2]string{
		{"2024-02-28", "2024-03-01"}, {"2024-02-29", "2024-02-29"}, {"2023-12-31", "2024-01-01"},
		{"2024-01-01", "2024-12-31"}, {"2023-03-01", "2024-02-29"}, {"2024-03-31", "2024-03-31"},
	}
	rounds := 20
	if os.Getenv("DG_SOAK") == "1" { // takes minutes
		rounds = 1_000
	}
	for i := range rounds {
		h := newHistory(2, 4+random.IntN(30), 0, 1, 4)
		for _, size := range []int{5, 6, len(h.players)} {
			if size <= len(h.players) {
				h.groups = append(h.groups, group{members: random.Perm(len(h.players))[:size]})
			}
		}
		h.mode = []string{"pseudonymous", "nominative"}[i%2]
		h.playRandomly(random, random.IntN(60), day("2024-02-27"), day("2024-03-03"))
		h.playRandomly(random, random.IntN(60), day("2023-03-01"), day("2025-01-01"))
		w.load(h)
		o := ask(h, "2024-01-01", "2024-12-31")
		token := w.key(t, h.id)
		for range 4 {
			p := periods[random.IntN(len(periods))]
			o.From = day(p[0])
			o.To = day(p[1])
			o.group = nil
			if n := random.IntN(len(h.groups) + 1); n > 0 {
				o.group = &h.groups[n-1]
			}
			o.requireAgreement(t, w, token)
		}
	}
}

func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

// rules.md, Anonymity: members {0, 4, 6} × players of the period {0, 4, 5}, in both modes:
// suppressed when fewer than 5 played. Suppressed answers have the same bytes, and the same
// headers, whatever the data.
func TestAnonymity(t *testing.T) {
	t.Parallel()
	w := start(t)
	shown := map[string]map[string]bool{"pseudonymous": {}, "nominative": {}}
	for _, mode := range []string{"pseudonymous", "nominative"} {
		for _, members := range []int{0, 4, 6} {
			for _, active := range []int{0, 4, 5} {
				if active > members {
					continue
				}
				h := newHistory(1, 12, members)
				h.mode = mode
				for who := range h.players { // players outside the group do not count
					place := slices.Index(h.groups[0].members, who)
					if place < active {
						h.play(who, day("2024-05-05"))
					}
				}
				w.load(h)
				token := w.key(t, h.id)
				o := ask(h, "2024-05-01", "2024-05-31")
				o.group = &h.groups[0]
				s := o.requireAgreement(t, w, token)
				require.Equal(t, active < 5, s.Suppressed, "%d members, %d active", members, active)
				if s.Suppressed {
					shown[mode][w.suppressedAnswers(t, "/api/v1/forks/"+h.forks[0],
						"?from=2024-05-01&to=2024-05-31&groupId="+h.groups[0].id, token)] = true
				}
			}
		}
		require.Len(t, shown[mode], 1, "suppressed answers differ under %s", mode)
	}
}

// suppressedAnswers returns all bytes of the answers about a suppressed group: statistics and CSV,
// GET and HEAD, plain and compressed, headers and bodies.
func (w *world) suppressedAnswers(t *testing.T, fork, query string, token apikeys.Token) string {
	t.Helper()
	var all strings.Builder
	for _, tail := range []string{"/stats", "/exports/csv"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			for _, encoding := range []string{"identity", "gzip"} {
				got := w.send(t, method, fork+tail+query, "Bearer "+token.String(),
					"Accept-Encoding", encoding)
				require.Equal(t, http.StatusOK, got.StatusCode)
				for _, ofTheRequest := range []string{"Date", "X-Request-Id", "Ratelimit"} {
					require.NotEmpty(t, got.Header.Values(ofTheRequest))
					got.Header.Del(ofTheRequest)
				}
				fmt.Fprintf(&all, "%s %s %s: %v %d %v %v %q\n", method, tail, encoding, got.Header,
					got.ContentLength, got.TransferEncoding, got.Trailer, got.body)
			}
		}
	}
	require.Contains(t, all.String(), "X-Dg-Report-Suppressed:[k-anonymity]")
	require.Contains(t, all.String(), "Content-Disposition:[attachment; filename=")
	_, group, _ := strings.Cut(query, "groupId=") // in the file name
	return strings.ReplaceAll(all.String(), group, "GROUP")
}
