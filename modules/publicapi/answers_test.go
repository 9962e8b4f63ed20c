package publicapi_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/games"
	"dg/platform/testkit"
	"dg/platform/testkit/oracle"
	"dg/platform/testkit/tb"
)

// organisation is an organisation and its plays, both in the database and for the oracle.
type organisation struct {
	w        *world
	id, mode string
	forks    []string
	players  []testkit.Player
	groups   []group
	plays    []oracle.Play // Play.Player is an index of players
}

type group struct {
	id      string
	members []int // indexes of organisation.players
}

// newOrganisation stores an organisation with forks of one game, players, and groups of the given sizes.
// All names contain its id, and some players share a name.
func (w *world) newOrganisation(mode string, forks, players int, groups ...int) *organisation {
	org := &organisation{w: w, id: uuid.NewString(), mode: mode}
	w.AddOrganisation(testkit.Organisation{ID: org.id, Name: org.id, ReportingMode: mode})
	game := w.AddGame()
	for i := range forks {
		slug := fmt.Sprint("fork-", i)
		fork := w.AddFork(testkit.Fork{OrganisationID: org.id, GameID: game, Slug: slug})
		org.forks = append(org.forks, fork.ID)
	}
	var names []string
	for i := range players {
		names = append(names, []string{"Ann", "Bob", "Cid"}[i%3]+org.id)
	}
	org.players = w.AddPlayersNamed(org.id, names...)
	for _, size := range groups {
		g := group{members: rand.Perm(players)[:size]}
		var members []testkit.Player
		for _, m := range g.members {
			members = append(members, org.players[m])
		}
		g.id = w.AddGroupNamed(org.id, org.id, members...)
		org.groups = append(org.groups, g)
	}
	return org
}

func (o *organisation) addPlay(player int, at time.Time) {
	o.storePlays(oracle.Play{ID: uuid.NewString(), Fork: o.forks[0], Player: player, Started: at})
}

// addRandomPlays adds n plays between two instants, many of them at the start or end of a day.
func (o *organisation) addRandomPlays(random *rand.Rand, n int, from, to time.Time) {
	plays := make([]oracle.Play, n)
	for i := range plays {
		started := from.Add(time.Duration(random.Int64N(to.Sub(from).Milliseconds())) * time.Millisecond)
		switch random.IntN(8) {
		case 0:
			started = started.Truncate(24 * time.Hour)
		case 1:
			started = started.Truncate(24 * time.Hour).Add(24*time.Hour - time.Millisecond)
		}
		p := oracle.Play{
			ID: uuid.NewString(), Fork: o.forks[random.IntN(len(o.forks))],
			Player: random.IntN(len(o.players)), Started: started, Release: random.IntN(4),
		}
		if random.IntN(4) > 0 {
			p.Completed = started.Add(time.Duration(random.IntN(3_600_000)) * time.Millisecond)
			p.Score = max(0, random.IntN(12_001)-2000) // often 0, which differs from no score
			p.Passed = random.IntN(2) == 0
		}
		for _, s := range random.Perm(games.SkillCount)[:random.IntN(5)] {
			attempts := 1 + random.IntN(4)
			p.Answers = append(p.Answers, oracle.SkillAnswers{
				Skill: games.Skill(s).ID(), Attempts: attempts, Correct: random.IntN(attempts + 1),
			})
		}
		plays[i] = p
	}
	o.storePlays(plays...)
}

func (o *organisation) storePlays(plays ...oracle.Play) {
	o.plays = append(o.plays, plays...)
	for _, p := range plays {
		var answers []games.SkillResult
		for _, a := range p.Answers {
			skill, _ := games.SkillByID(a.Skill)
			answers = append(answers, games.SkillResult{Skill: skill, Attempts: a.Attempts, Correct: a.Correct})
		}
		o.w.AddPlay(testkit.Play{
			ID: p.ID, Fork: testkit.Fork{ID: p.Fork, OrganisationID: o.id},
			Player: o.players[p.Player], StartedAt: p.Started, CompletedAt: p.Completed,
			Score: p.Score, Passed: p.Passed, Answers: games.PackAnswers(answers),
		})
		o.w.Exec(`update plays set release_number = nullif($2, 0) where id = $1`, p.ID, p.Release)
	}
}

type reportBody struct {
	Suppressed bool
	Players    []struct{ PlayerLabel string }
}

// requireAgreement compares the statistics and the CSV of the first fork with the oracle's. Labels
// are pseudonyms under pseudonymous reporting, names under nominative reporting.
func (o *organisation) requireAgreement(t *testing.T, w *world, key testkit.Key, from, to string, g *group) reportBody {
	model := oracle.Query{Fork: o.forks[0], From: parseDay(from), To: parseDay(to), Mode: o.mode}
	for i := range games.SkillCount {
		model.Skills = append(model.Skills, games.Skill(i).ID())
	}
	for _, p := range o.players {
		model.Keys = append(model.Keys, p.Label)
		model.Labels = append(model.Labels, map[string]string{"pseudonymous": p.Label, "nominative": p.Name}[o.mode])
	}
	query := "?from=" + from + "&to=" + to
	if g != nil {
		query += "&groupId=" + g.id
		model.Members = map[int]bool{}
		for _, m := range g.members {
			model.Members[m] = true
		}
	}
	stats := w.get(t, "/api/v1/forks/"+model.Fork+"/stats"+query, key)
	body := decodeJSON[reportBody](t, stats)
	want := tb.Must(json.Marshal(model.Statistics(slices.Values(o.plays))))(t)
	require.JSONEq(t, string(want), stats.Body)
	file := w.get(t, "/api/v1/forks/"+model.Fork+"/exports/csv"+query, key).Is(t, http.StatusOK)
	require.Equal(t, model.CSV(o.plays), file.Body)
	require.Equal(t, body.Suppressed, file.Header.Get("X-DG-Report-Suppressed") == "k-anonymity")
	return body
}

// The API agrees with the oracle on random plays on leap days, year ends and the edges of days.
func TestFiguresAgreeWithTheOracle(t *testing.T) {
	w := start(t)
	random := rand.New(rand.NewPCG(rand.Uint64(), 0))
	periods := [][2]string{
		{"2024-02-28", "2024-03-01"}, {"2024-02-29", "2024-02-29"}, {"2023-12-31", "2024-01-01"},
		{"2024-01-01", "2024-12-31"}, {"2023-03-01", "2024-02-29"}, {"2024-03-31", "2024-03-31"},
	}
	rounds := 20
	if os.Getenv("DG_SOAK") == "1" { // 1,000 rounds take minutes
		rounds = 1_000
	}
	for i := range rounds {
		players := 4 + random.IntN(30)
		org := w.newOrganisation([]string{"pseudonymous", "nominative"}[i%2], 2, players,
			0, 1, 4, min(5, players), min(6, players), players)
		org.addRandomPlays(random, random.IntN(60), parseDay("2024-02-27"), parseDay("2024-03-03"))
		org.addRandomPlays(random, random.IntN(60), parseDay("2023-03-01"), parseDay("2025-01-01"))
		key := w.AddKey(org.id)
		for range 4 {
			period := periods[random.IntN(len(periods))]
			var g *group
			if n := random.IntN(len(org.groups) + 1); n > 0 {
				g = &org.groups[n-1]
			}
			org.requireAgreement(t, w, key, period[0], period[1], g)
		}
	}
}

func parseDay(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

// hostileNames maps names that a spreadsheet, a terminal or a parser may misread to their cells in
// the CSV. Package format tests the formula guard.
var hostileNames = map[string]string{
	"=cmd|'/C calc'!A0":              "'=cmd|'/C calc'!A0",
	"\r=1; no line":                  "'\r=1; no line",
	"a\nb,c\n":                       "a\nb,c\n",
	"\u202egnp.exe":                  "\u202egnp.exe",
	"</script><script>alert(1)":      "</script><script>alert(1)",
	"\x1b[31mred\x07":                "\x1b[31mred\x07",
	strings.Repeat("é,\"", 10_000/3): strings.Repeat("é,\"", 10_000/3),
}

// rules.md, CSV: JSON has names unchanged, the CSV has the formula guard, and pseudonymous reports have no name.
func TestHostileNamesAreEscaped(t *testing.T) {
	w := start(t)
	org := w.newOrganisation("nominative", 1, len(hostileNames))
	for player := range org.players {
		org.addPlay(player, parseDay("2024-05-05"))
	}
	cellOf := map[string]string{} // a player's cell by the player's key
	for name, cell := range hostileNames {
		p := org.players[len(cellOf)]
		w.Exec(`update players set display_name = $2 where id = $1`, p.ID, name)
		cellOf[p.Label] = cell
	}
	key := w.AddKey(org.id)
	path := "/api/v1/forks/" + org.forks[0]
	const period = "?from=2024-05-01&to=2024-05-31"

	var labels []string
	for _, p := range decodeJSON[reportBody](t, w.get(t, path+"/stats"+period, key)).Players {
		labels = append(labels, p.PlayerLabel)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(hostileNames)), labels)

	// not w.get, because w.checkResponse refuses cells with CR
	file := w.sendRaw(t, requestText(http.MethodGet, path+"/exports/csv"+period, "Authorization: Bearer "+key.Token()))
	rows := tb.Must(csv.NewReader(strings.NewReader(file.Body)).ReadAll())(t)
	require.Len(t, rows, len(hostileNames)+1)
	for _, row := range rows[1:] {
		require.Equal(t, cellOf[row[3]], row[4], "%q", row)
	}

	w.Exec(`update organisations set reporting_mode = 'pseudonymous' where id = $1`, org.id)
	for _, tail := range []string{"/stats", "/exports/csv"} {
		w.get(t, path+tail+period, key).Lacks(t, slices.Collect(maps.Keys(hostileNames))...)
	}
}

// Forks have all fields but the configuration. The list is ordered by creation, then by id.
func TestForksHaveAllFieldsAndAreOrdered(t *testing.T) {
	w := start(t)
	org := w.newOrganisation("pseudonymous", 9, 0)
	w.newOrganisation("pseudonymous", 1, 0)
	oldest := slices.Max(org.forks)
	w.Exec(`update forks set slug = 'oldest', status = 'archived', visibility = 'restricted', source_locale = 'pt',
		suspended = true, title = E'<b>"\\\u202e=1+1', created_at = '2025-12-31T00:00:00Z',
		updated_at = '2026-02-01T00:00:00.123Z' where id = $1`, oldest)
	key := w.AddKey(org.id, "forks:read")
	list := w.get(t, "/api/v1/forks", key)
	require.NotContains(t, list.Body, `"secret"`)
	items := decodeJSON[struct{ Items []map[string]any }](t, list).Items
	require.Len(t, items, 9)
	for i, f := range items {
		id := f["id"].(string)
		if i > 1 {
			require.Less(t, items[i-1]["id"], id, "created at the same instant: by id")
		}
		single := decodeJSON[map[string]any](t, w.get(t, "/api/v1/forks/"+id, key))
		require.Equal(t, f, single, "the list's element is the fork")
		w.get(t, fmt.Sprintf("/api/v1/forks/%%%x%s", id[0], id[1:]), key).Is(t, http.StatusOK)
		if i == 0 {
			require.Equal(t, map[string]any{
				"id": oldest, "gameId": items[1]["gameId"], "slug": "oldest", "title": "<b>\"\\\u202e=1+1",
				"major": 1.0, "status": "archived", "visibility": "restricted", "sourceLocale": "pt",
				"deployedReleaseNumber": nil, "suspended": true,
				"createdAt": "2025-12-31T00:00:00.000Z", "updatedAt": "2026-02-01T00:00:00.123Z",
			}, f)
		}
	}

	w.Exec(`delete from forks where org_id = $1`, org.id)
	require.Equal(t, `{"items":[]}`, w.get(t, "/api/v1/forks", key).Body)
}

// openapi.yaml, Over HTTP: HEAD runs the checks of GET and sends its headers. Only GET records an export.
func TestHeadRunsTheChecksOfGet(t *testing.T) {
	w := start(t)
	org := w.newOrganisation("pseudonymous", 1, 6, 4)
	otherOrg := w.newOrganisation("pseudonymous", 1, 0)
	org.addRandomPlays(rand.New(rand.NewPCG(13, 13)), 20, parseDay("2024-05-01"), parseDay("2024-05-31"))
	key := w.AddKey(org.id)
	period := "?from=2024-05-01&to=2024-05-31"
	for _, path := range slices.AppendSeq([]string{
		"/api/v1/forks/{forkId}/exports/csv" + period + "&groupId=" + org.groups[0].id,
		"/api/v1/forks/" + otherOrg.forks[0], "/api/v1/forks/x", "/api/v1/forks/{forkId}/stats", "/api/v1/x",
	}, maps.Keys(documentedScopes(t, period))) {
		path = strings.Replace(path, "{forkId}", org.forks[0], 1)
		get := w.get(t, path, key, "User-Agent", "Power Query")
		head := w.send(t, http.MethodHead, path, "Bearer "+key.Token()).Is(t, get.StatusCode)
		if strings.Contains(path, "/stats?") {
			require.NotEmpty(t, head.Header.Get("ETag"))
			require.Empty(t, head.Header.Get("Content-Length"), "HEAD of an answer with a tag computes no figures")
			old := w.sendRaw(t, "HEAD "+path+" HTTP/1.0\r\nAuthorization: Bearer "+key.Token()+"\r\n\r\n")
			require.Positive(t, old.ContentLength, "HTTP/1.0 has no chunks")
		}
		for _, name := range []string{"Date", "X-Request-Id", "Ratelimit", "Content-Length", "Transfer-Encoding"} {
			get.Header.Del(name)
			head.Header.Del(name)
		}
		require.Equal(t, get.Header, head.Header, path)
	}
	var groupIDs []any
	for _, e := range w.entries(t, org.id) {
		if e.Action != audit.ExportStarted {
			continue
		}
		groupIDs = append(groupIDs, e.Details["groupId"])
		require.Equal(t, audit.Target{Kind: "fork", ID: org.forks[0]}, e.Target)
		require.Equal(t, audit.Actor{Kind: audit.Key, ID: key.ID, Name: "Warehouse"}, e.Actor)
		require.Equal(t, audit.Request{
			Method: "GET", Path: "/api/v1/forks/" + org.forks[0] + "/exports/csv", Address: "127.0.0.1",
			UserAgent: "Power Query", ID: e.Request.ID,
		}, e.Request)
	}
	require.ElementsMatch(t, []any{nil, org.groups[0].id}, groupIDs, "only the two GETs are recorded")
}

// openapi.yaml, RateLimit and DG-Key-Expires: only responses to usable keys have these headers, errors included.
func TestResponsesHaveRateLimitAndKeyExpiry(t *testing.T) {
	w := start(t)
	key := w.AddKey(w.AddOrganisation(testkit.Organisation{}).ID)
	expiry := time.Now().Add(29 * 24 * time.Hour).UTC().Truncate(time.Millisecond)
	require.Empty(t, w.get(t, "/api/v1/forks", key).Header.Values("DG-Key-Expires"))
	w.Exec(`update api_keys set expires_at = $2 where id = $1`, key.ID, expiry)
	requireHeaders := func(path string, status int, remaining string) {
		page := w.get(t, path, key).Is(t, status)
		require.Equal(t, `"key";q=120;w=60`, page.Header.Get("RateLimit-Policy"))
		require.Regexp(t, `^"key";r=`+remaining+`;t=([1-9]|[1-5]\d|60)$`, page.Header.Get("RateLimit"))
		want := []string{expiry.Format("2006-01-02T15:04:05.000Z")}
		require.Equal(t, want, page.Header.Values("DG-Key-Expires"), path)
	}
	requireHeaders("/api/v1/forks", 200, "118")
	requireHeaders("/api/v1/nowhere", 404, "117")
	requireHeaders("/api/v1/forks/x", 404, "116")
	w.Exec(fillWindowSQL, key.ID)
	requireHeaders("/api/v1/forks", 429, "0")
	w.Exec(`delete from api_key_windows`)
	rejected := w.send(t, http.MethodGet, "/api/v1/forks", "Bearer "+tokenWithWrongSecret(key))
	require.Empty(t, rejected.Header.Values("DG-Key-Expires"))
	require.Empty(t, rejected.Header.Values("RateLimit"))
}
