package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"math/big"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/games"
	"dg/modules/publicapi"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/postgres"
)

// beside serves the API of the same instance, and returns how to ask it with a key of the organisation, which may ask 100
// times.
func (w *world) beside(t *testing.T, o *organisation) (get func(path string) page) {
	t.Helper()
	policy, err := authz.New()
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	base := "http://" + ln.Addr().String()
	api, err := publicapi.New(publicapi.Modules{
		Keys: w.keys, Games: games.New(w.db.DB), Reports: w.figures, Exports: w.files, Orgs: w.orgs, Policy: policy,
	}, base)
	require.NoError(t, err)
	server := httpserver.New(httpserver.Options{Logger: slog.New(slog.DiscardHandler), Unavailable: postgres.Unavailable, Grace: time.Second})
	api.Mount(server.App())
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(ln) })
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Shutdown(context.Background())
		served.Wait()
	})
	_, token, err := w.keys.Create(t.Context(), apikeys.Actor{
		Person:  apikeys.Person{ID: o.owner.id, Name: o.owner.name},
		Subject: authz.Subject{Kind: authz.Member, OrganisationID: o.id, Grants: authz.MemberGrants("owner", false)},
	}, apikeys.NewKey{Name: "BI", Scopes: []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead}}, audit.Request{})
	require.NoError(t, err)
	return func(path string) page {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/api/v1"+path, http.NoBody)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+token.String())
		response, err := (&http.Client{Transport: transport}).Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return page{response, string(text)}
	}
}

// withPlayers gives the organisation players, by name, and returns their ids.
func (o *organisation) withPlayers(names ...string) []string {
	ids := make([]string, len(names))
	for i, name := range names {
		ids[i] = uuid.NewString()
		o.more = append(o.more, map[string]any{"type": "player", "id": ids[i], "organisationId": o.id, "displayName": name})
	}
	return ids
}

// numbered are names of n players.
func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("Player %03d", i)
	}
	return names
}

// withGroup gives the organisation a group, and returns its id.
func (o *organisation) withGroup(name string, players ...string) string {
	id := uuid.NewString()
	o.more = append(o.more, map[string]any{"type": "group", "id": id, "organisationId": o.id, "name": name, "playerIds": append([]string{}, players...)})
	return id
}

// withPlay adds a play; its score is in hundredths of a percent, and negative for an unfinished one.
func (o *organisation) withPlay(fork, player string, at time.Time, score int, skills ...map[string]any) {
	line := map[string]any{
		"type": "play", "id": uuid.NewString(), "forkId": fork, "playerId": player, "startedAt": at.UTC().Format(time.RFC3339Nano),
		"skills": append([]map[string]any{}, skills...),
	}
	if score >= 0 {
		line["completedAt"] = at.UTC().Add(time.Minute).Format(time.RFC3339Nano)
		line["scorePercent"] = json.Number(fmt.Sprintf("%d.%02d", score/100, score%100))
		line["passed"] = score > 5000
	}
	o.more = append(o.more, line)
}

// withRandomPlays adds n plays of the last days before now.
func (o *organisation) withRandomPlays(random *rand.Rand, n, days int, forks, players []string, now time.Time) {
	for range n {
		at := now.Add(-time.Duration(random.Int64N(int64(days)*86_400_000)) * time.Millisecond)
		score := random.IntN(13_000) - 3_000
		if score > 10_000 || random.IntN(10) == 0 {
			score = 10_000
		}
		var skills []map[string]any
		for _, s := range random.Perm(games.SkillCount)[:random.IntN(4)] {
			attempts := 1 + random.IntN(7)
			skills = append(skills, map[string]any{"skillId": games.Skill(s).ID(), "attempts": attempts, "correct": random.IntN(attempts + 1)})
		}
		o.withPlay(forks[random.IntN(len(forks))], players[random.IntN(len(players))], at, score, skills...)
	}
}

// statistics is the API's answer with its numbers as they are written.
type statistics struct {
	Plays, UniquePlayers, AvgScorePercent, CompletionRate, PassRate json.Number
	ReportingMode                                                   string
	Suppressed                                                      bool
	Daily                                                           []struct {
		Date                   string
		Plays, AvgScorePercent json.Number
	}
	Players []struct {
		PlayerLabel             string
		Plays, BestScorePercent json.Number
		LastPlayedAt            string
		Passed                  bool
	}
	Skills []struct {
		SkillID               string `json:"skillId"`
		Attempts, CorrectRate json.Number
	}
}

// fixed writes a number of the API, times scale, with so many decimals, and fails where that would round.
func fixed(t *testing.T, n json.Number, scale int64, decimals int) string {
	t.Helper()
	exact, ok := new(big.Rat).SetString(n.String())
	require.True(t, ok, n)
	exact.Mul(exact, new(big.Rat).SetInt64(scale))
	text := exact.FloatString(decimals)
	back, _ := new(big.Rat).SetString(text)
	require.Zero(t, back.Cmp(exact), "%s has more digits than are shown", n)
	return text
}

// cells returns what the groups of a pattern find in a page, unescaped.
func cells(pattern, text string) [][]string {
	var all [][]string
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		row := found[1:]
		for i := range row {
			row[i] = html.UnescapeString(strings.ReplaceAll(row[i], "<wbr>", ""))
		}
		all = append(all, row)
	}
	return all
}

const (
	figureCells = `<div><dt>([^<]*)</dt><dd>([^<]*)</dd>`
	dailyCells  = `<tr><th scope="row"><time datetime="([^"]*)">[^<]*</time></th><td class="n">([^<]*)</td><td class="n">([^<]*)</td></tr>`
	skillCells  = `<span class="mono off">(.*?)</span><svg class="bar" aria-hidden="true"><rect width="([^"]*)" height="100%"/></svg></th><td class="n">([^<]*)</td><td class="n">([^<]*)</td></tr>`
	playerCells = `<tr><th scope="row"(?: class="mono")?><bdi>([^<]*)</bdi></th><td class="n">([^<]*)</td><td class="n">([^<]*)</td><td>(?:<span class="off">)?(Yes|No)(?:</span>)?</td><td><time datetime="([^"]*)"`
)

// allPlayers walks the pages of the players and returns their rows.
func allPlayers(b *browser, p page) [][]string {
	rows := cells(playerCells, p.body)
	for {
		next := cells(`<a class="btn" href="([^"]*)">Next →</a>`, p.body)
		if next == nil {
			return rows
		}
		p = b.get(strings.TrimSuffix(next[0][0], "#p-h"))
		rows = append(rows, cells(playerCells, p.body)...)
	}
}

// sameFigures compares a dashboard, all its pages, with the API's statistics: to the digit.
func sameFigures(t *testing.T, b *browser, p page, want statistics) {
	t.Helper()
	mode := "with pseudonyms"
	if want.ReportingMode == "nominative" {
		mode = "with names"
	}
	require.Contains(t, regexpFind(t, `<p class="lede">(.*)</p>`, p.body), ", "+mode)
	require.Equal(t, want.Suppressed, strings.Contains(p.body, "This group’s figures are hidden"))
	if want.Suppressed {
		for _, pattern := range []string{figureCells, dailyCells, skillCells, playerCells, `(plays\.csv)`, `(<svg class="tall)`} {
			require.Empty(t, cells(pattern, p.body))
		}
		return
	}
	plain := func(n json.Number) string { return strings.ReplaceAll(n.String(), ",", "") }
	withoutCommas := func(rows [][]string) [][]string {
		for _, row := range rows {
			for i := range row {
				if regexp.MustCompile(`^[0-9,]+$`).MatchString(row[i]) {
					row[i] = strings.ReplaceAll(row[i], ",", "")
				}
			}
		}
		return rows
	}
	require.Equal(t, [][]string{
		{"Plays", plain(want.Plays)}, {"Players", plain(want.UniquePlayers)}, {"Average score", fixed(t, want.AvgScorePercent, 1, 1) + "%"},
		{"Completion rate", fixed(t, want.CompletionRate, 100, 2) + "%"}, {"Pass rate", fixed(t, want.PassRate, 100, 2) + "%"},
	}, withoutCommas(cells(figureCells, p.body)))
	if want.Plays == "0" {
		require.Contains(t, p.body, "No plays in this period")
		return
	}
	var daily, skills, players [][]string
	for _, d := range want.Daily {
		daily = append(daily, []string{d.Date, plain(d.Plays), fixed(t, d.AvgScorePercent, 1, 1) + "%"})
	}
	for _, k := range want.Skills {
		rate := fixed(t, k.CorrectRate, 100, 2) + "%"
		skills = append(skills, []string{k.SkillID, rate, plain(k.Attempts), rate})
	}
	for _, q := range want.Players {
		passed := "No"
		if q.Passed {
			passed = "Yes"
		}
		players = append(players, []string{q.PlayerLabel, plain(q.Plays), fixed(t, q.BestScorePercent, 1, 1) + "%", passed, q.LastPlayedAt})
	}
	require.Equal(t, daily, withoutCommas(cells(dailyCells, p.body)))
	require.Equal(t, skills, withoutCommas(cells(skillCells, p.body)))
	require.Equal(t, players, withoutCommas(allPlayers(b, p)))
}

// askStatistics asks the API.
func askStatistics(t *testing.T, get func(string) page, fork, from, to, group string) statistics {
	t.Helper()
	path := "/forks/" + fork + "/stats?from=" + from + "&to=" + to
	if group != "" {
		path += "&groupId=" + group
	}
	answer := get(path)
	require.Equal(t, http.StatusOK, answer.StatusCode, answer.body)
	var s statistics
	require.NoError(t, json.Unmarshal([]byte(answer.body), &s))
	return s
}

// The figures of the API and of the dashboard are the same, to the digit, for
// 200 random queries that all answered 200: fork × period × group, in both modes, the suppressed and the empty ones too.
func TestDashboardShowsTheFiguresOfTheAPI(t *testing.T) {
	t.Parallel()
	w := start(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	now := time.Now().UTC()
	kinds := map[string]int{}
	for _, mode := range []string{"pseudonymous", "nominative"} {
		o := newOrganisation(mode)
		o.mode = mode
		forks := []string{o.withFork(), o.withFork(), o.withFork()}
		names := numbered(70)
		copy(names, []string{"=HYPERLINK(1)", "<b>bold</b>", "\u202eevil", "Player 069"}) // hostile ones, and one twice
		players := o.withPlayers(names...)
		groups := []string{"", o.withGroup("nobody")}
		for _, size := range []int{1, 4, 5, 6, 20, len(players)} {
			var members []string
			for _, i := range random.Perm(len(players))[:size] {
				members = append(members, players[i])
			}
			groups = append(groups, o.withGroup(fmt.Sprintf("Group <%d>", size), members...))
		}
		o.withRandomPlays(random, 700, 400, forks[:2], players, now)
		o.withRandomPlays(random, 500, 20, forks[:1], players, now)
		w.load(t, o)
		owner := w.signedIn(t, o.owner)
		for range 2 {
			get := w.beside(t, o)
			for range 50 {
				fork, group := forks[min(random.IntN(7)/3, 2)], groups[max(0, random.IntN(2*len(groups))-len(groups))]
				days := []int{1, 2, 7, 28, 31, 92, 93, 366}[random.IntN(8)]
				to := now.AddDate(0, 0, 5-random.IntN(200))
				from, to2 := to.AddDate(0, 0, 1-days).Format(time.DateOnly), to.Format(time.DateOnly)
				want := askStatistics(t, get, fork, from, to2, group)
				p := owner.get(o.at("/reports/%s?from=%s&to=%s&group=%s", fork, from, to2, group))
				require.Equal(t, http.StatusOK, p.StatusCode)
				sameFigures(t, owner, p, want)
				switch {
				case want.Suppressed:
					kinds["suppressed"]++
				case want.Plays == "0":
					kinds["empty"]++
				case len(want.Players) > 25:
					kinds["paged"]++
				}
			}
		}
	}
	t.Logf("of 200 queries %v", kinds)
	require.Greater(t, min(kinds["suppressed"], kinds["empty"], kinds["paged"]), 2, "%v", kinds)
}

// rules.md, Bounds: no organisation takes all places. People compute reports beside the API, no more than their share at once.
func TestConcurrentReportsAreLimited(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := newOrganisation("acme")
	path := acme.at("/reports/%s", acme.withFork())
	w.load(t, acme)
	browsers := [4]*browser{}
	for i := range browsers {
		browsers[i] = w.signedIn(t, acme.owner)
	}
	hold, err := w.db.Owner.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = hold.Rollback(context.Background()) }()
	_, err = hold.Exec(t.Context(), `lock table plays in access exclusive mode`)
	require.NoError(t, err)

	answers := make(chan int)
	ask := func(b *browser) { go func() { answers <- b.get(path).StatusCode }() }
	computing := func(n int) func() bool {
		return func() bool {
			var waiting int
			err := w.db.Owner.Pool.QueryRow(context.Background(), `select count(*) from pg_locks where relation = 'plays'::regclass and not granted`).Scan(&waiting)
			return err == nil && waiting == n
		}
	}
	for _, b := range browsers[1:] {
		ask(b)
	}
	require.Eventually(t, computing(3), 5*time.Second, 5*time.Millisecond)
	ask(browsers[0])
	require.Never(t, computing(4), 300*time.Millisecond, 10*time.Millisecond, "the fourth waits for its turn")
	require.NoError(t, hold.Rollback(t.Context()))
	for range 4 {
		require.Equal(t, http.StatusOK, <-answers)
	}
}
