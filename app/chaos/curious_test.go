package chaos

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/modules/audit"
	"dg/modules/importer"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/testkit/fixtures"
)

// What a trick must not find, and what the promises leave open: /docs/security, Small groups, and
// the OpenAPI document, Privacy.
var (
	finds0 = []string{
		"zeros against hidden", "comparison with a hidden period", "order of lists",
		"search by name", "texts of errors", "another key",
		"overview of all forks", "audit log of hidden exports", "pseudonyms in the order of names",
	}
	findsSome = []string{
		"two groups", "two groups, to a name", "group against everybody",
		"group against everybody, to a name",
		"all groups together", "all groups together, to a name", "hidden group inside a shown one",
		"two periods, a day apart", "days of a shown group", "weeks of a shown group",
		"all members played", "all members passed",
		"rows of a shown group", "rows of everybody, hidden periods",
		"rows of everybody, idle periods", "skills answered by few",
		"when people came and left", "somebody joins or leaves a group",
		"somebody joins or leaves a group, to a name",
		"rows before an erasure", "rows before an erasure, to a name",
		"audit log's rows before an erasure",
		"names by playerKey", "names in rows of everybody, hidden groups",
	}
)

// A manager who knows the roster and all groups tries every way to learn more of few people.
// Nothing tells a hidden report from one of a group that did not play; what other tricks find is
// written down as limits, and here with its count.
func TestCuriousManager(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 7))
	db := fixtures.New(t)
	companies := importCompanies(t, db, random, apptest.ChaosSize(8, 100, 300))
	d := apptest.ServeDatabase(t, db)
	manager := db.Person(fixtures.Person{})
	for _, c := range companies {
		db.Join(c.id, manager.ID, "admin")
	}
	cookie := apptest.NewWebClient(t, d.URL).
		SignIn(demo.Account{Email: manager.Email, Password: fixtures.Password}).Cookies["__Host-dg"]
	o := beginOrdeal(t, apptest.DoorTo(t, db.OwnerURL), d)
	said := &findings{tricks: map[string]*finding{}}
	transport := &http.Transport{MaxIdleConnsPerHost: 8, DisableCompression: true}
	t.Run("companies", func(t *testing.T) {
		for i, c := range companies {
			own := rand.New(rand.NewPCG(seed, 100+uint64(i)))
			t.Run(c.slug, func(t *testing.T) {
				t.Parallel()
				s := &snoop{
					company: c,
					t:       t,
					db:      db,
					base:    d.URL,
					cookie:  cookie,
					http:    &http.Client{Transport: transport},
					said:    said,
					seen:    map[look]figures{},
					foreign: companies[(i+1)%len(companies)].circles[0].id,
				}
				s.everything(own)
			})
		}
	})
	transport.CloseIdleConnections()
	said.sortedByName(companies)
	t.Log(said.report(companies))
	for trick, f := range said.tricks {
		require.Contains(t, append(finds0, findsSome...), trick)
		require.Zero(t, f.wrong, "%s: what the answers say is not true", trick)
	}
	for _, trick := range finds0 {
		require.Nil(t, said.tricks[trick], trick)
	}
	if apptest.Chaos {
		for _, trick := range findsSome {
			rare := strings.HasSuffix(trick, "to a name") || trick == "all members passed"
			require.True(t, rare || said.tricks[trick] != nil, "%s: the trick has been lost", trick)
		}
	}
	o.ends(t)
}

func importCompanies(t *testing.T, db *fixtures.Database, random *rand.Rand, n int) []*company {
	t.Helper()
	var file bytes.Buffer
	game := randomID(random)
	fmt.Fprintf(&file, `{"type":"game","id":%q,"slug":"a-game","title":"A game"}`+"\n", game)
	companies := make([]*company, n)
	for i := range companies {
		companies[i] = newCompany(random, i)
		require.NoError(t, companies[i].write(&file, game))
	}
	input := importer.Input{
		Name: "companies",
		Open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(file.Bytes())), nil
		},
	}
	_, err := importer.New(db.Owner.Pool).Import(t.Context(), []importer.Input{input}, nil)
	require.NoError(t, err)
	for _, c := range companies {
		for i := range c.staff {
			c.staff[i].pseudonym = fixtures.One[string](db,
				`select label from players where id = $1`, c.staff[i].id)
		}
	}
	return companies
}

// everything tries all tricks on a company, and again after each of its changes.
func (s *snoop) everything(random *rand.Rand) {
	busy := map[int]bool{}
	for _, p := range s.sittings {
		busy[p.day] = true
	}
	days := slices.Sorted(maps.Keys(busy))
	random.Shuffle(len(days), func(i, j int) { days[i], days[j] = days[j], days[i] })
	days = days[:min(len(days), apptest.ChaosSize(1, 5, 9))]
	s.differ()
	s.days(days)
	s.weeks()
	s.skills()
	s.joining()
	s.comparison()
	s.zeros()
	s.order()
	s.search()
	s.errors()
	s.anotherKey()
	s.overview()
	s.moved()
	s.erased()
	s.named(days)
}

// moved compares a group before and after somebody joins or leaves.
func (s *snoop) moved() {
	before := s.whole(s.into)
	g := s.circles[s.into]
	if g.members[s.mover] {
		s.db.Exec(`delete from group_members where (org_id, group_id, player) in (
			select org_id, $1::uuid, ordinal from players where id = $2)`, g.id,
			s.staff[s.mover].id)
		delete(g.members, s.mover)
	} else {
		s.db.Exec(`insert into group_members (org_id, group_id, player) select org_id, $1, ordinal
			from players where id = $2`,
			g.id, s.staff[s.mover].id)
		g.members[s.mover] = true
	}
	s.stage++
	const trick = "somebody joins or leaves a group"
	after := s.whole(s.into)
	of := people{s.mover: true}
	switch {
	case !before.Suppressed && !after.Suppressed:
		changed := without(before.shown(), after.shown())
		maps.Copy(changed, without(after.shown(), before.shown()))
		s.sayWho(trick, of, changed)
	case before.Suppressed != after.Suppressed:
		s.say(trick, of, s.played(of, 0, lastCurious) > 0)
	}
}

// erased compares files and the audit log's counts from before an erasure with what is left.
func (s *snoop) erased() {
	before := s.rowsNow()
	of := people{s.leaver: true}
	_, err := org.New(s.db.Owner, audit.New(s.db.Owner), nil).
		Erase(s.t.Context(), s.staff[s.leaver].id, reports.DropDirty, audit.Request{})
	require.NoError(s.t, err)
	s.stage++
	gone := maps.Clone(before)
	for id := range s.rowsNow() {
		delete(gone, id)
	}
	s.sayWho("rows before an erasure", of, playersOf(gone))
	if n := s.recordedRows() - len(s.rowsNow()); n > 0 {
		s.say("audit log's rows before an erasure", of, n == s.played(of, 0, lastCurious))
	}
	s.erase(s.leaver)
}

// recordedRows is how many rows the first export had, by the audit log. Of hidden reports it says
// as little as the files.
func (s *snoop) recordedRows() (rows int) {
	hidden := map[string]look{}
	for l, f := range s.seen {
		if f.Suppressed && l.stage == 0 {
			hidden[s.query(l)] = l
		}
	}
	got := s.fetch(http.MethodGet, s.at("/settings/audit-log.csv"))
	require.Equal(s.t, http.StatusOK, got.status, got.body)
	lines, err := csv.NewReader(strings.NewReader(got.body)).ReadAll()
	require.NoError(s.t, err)
	for _, v := range lines {
		var details struct {
			From, To, GroupID string
			Rows              int
		}
		if v[5] != "export.finished" {
			continue
		}
		require.NoError(s.t, json.Unmarshal([]byte(v[9]), &details))
		l, ok := hidden["?from="+details.From+"&to="+details.To+"&groupId="+details.GroupID]
		switch {
		case ok && details.Rows > 0:
			s.say("audit log of hidden exports", s.who(s.circles[l.circle].members, l.from, l.to),
				true)
		case details.GroupID == "" && details.From == s.day(0):
			rows = details.Rows
		}
	}
	return rows
}

// named turns names on: rows of everybody say who is behind each pseudonym, and what hidden groups
// played.
func (s *snoop) named(days []int) {
	s.db.Exec(`update organisations set reporting_mode = 'nominative' where id = $1`, s.id)
	s.stage++
	s.unplayed = curiousAnswer{}
	for _, r := range s.rowsNow() {
		who := slices.IndexFunc(s.staff, func(p colleague) bool { return p.name == r.label })
		s.say("names by playerKey", people{who: true}, s.staff[who].pseudonym == r.key)
	}
	for g, c := range s.circles {
		for _, d := range days {
			n := 0
			for _, r := range s.rowsNow() {
				if s.circles[g].members[slices.IndexFunc(s.staff, func(p colleague) bool {
					return p.name == r.label
				})] && r.day == s.day(d) {
					n++
				}
			}
			if s.statistics(g, d, d).Suppressed && n > 0 {
				s.say("names in rows of everybody, hidden groups", s.who(c.members, d, d),
					n == s.played(c.members, d, d))
			}
		}
	}
}

// report is what each trick found.
func (f *findings) report(companies []*company) string {
	var b strings.Builder
	staff := 0
	played := 0
	for _, c := range companies {
		staff += len(c.staff)
		played += len(c.who(c.everyone(), 0, lastCurious))
	}
	fmt.Fprintf(&b,
		"%d organisations, %d people, of whom %d played; %d requests; %d hidden answers "+
			"compared, of which %d hid somebody\n",
		len(companies), staff, played, f.requests.Load(), f.compared.Load(), f.hiding.Load())
	for _, trick := range append(slices.Clone(finds0), findsSome...) {
		found := f.tricks[trick]
		if found == nil {
			found = &finding{}
		}
		fmt.Fprintf(&b, "%-48s %6d statements, %5d people\n", trick, found.said, len(found.people))
	}
	return b.String()
}
