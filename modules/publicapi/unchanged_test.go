package publicapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/reports/sealer"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// taggedReport is a pseudonymous report with an ETag. Its fork has plays in January, March and April 2024.
type taggedReport struct {
	*world
	orgID  string
	fork   testkit.Fork
	key    testkit.Key
	sealer *sealer.Sealer
}

const taggedPeriod = "?from=2024-01-10&to=2024-04-20"

func startTagged(t *testing.T) *taggedReport {
	p := &taggedReport{world: start(t)}
	p.orgID = p.AddOrganisation(testkit.Organisation{ID: "00000000-0000-4000-8000-0000000000a0"}).ID
	p.fork = p.AddFork(testkit.Fork{ID: "00000000-0000-4000-8000-0000000000f0", OrganisationID: p.orgID, Slug: "dock"})
	players := p.AddPlayers(p.orgID, 7)
	for i := range 60 {
		started := parseDay("2024-01-15").AddDate(0, []int{0, 2, 3}[i%3], i%5).Add(time.Duration(i) * time.Minute)
		play := testkit.Play{
			ID:   fmt.Sprintf("00000000-0000-4000-8000-0000000001%02d", i),
			Fork: p.fork, Player: players[i%7], StartedAt: started, Answers: []byte{3, 2, 9},
		}
		if i%4 > 0 {
			play.CompletedAt = started.Add(90 * time.Second)
			play.Score = 100 * i
			play.Passed = i%2 == 0
		}
		p.AddPlay(play)
	}
	p.key = p.AddKey(p.orgID)
	p.sealer = sealer.New(p.DB, time.Now, slog.New(slog.DiscardHandler))
	p.sealer.MinPlays = 0
	return p
}

func (p *taggedReport) path(endpoint string) string {
	return "/api/v1/forks/" + p.fork.ID + endpoint + taggedPeriod
}

var taggedEndpoints = []string{"/stats", "/exports/csv"}

func (p *taggedReport) sendWithKey(t *testing.T, method, path string, headers ...string) testkit.Page {
	p.Exec(`delete from api_key_windows`)
	return p.send(t, method, path, "Bearer "+p.key.Token(), headers...)
}

func (p *taggedReport) readReports(t *testing.T) (contents, tags [2]string) {
	for i, endpoint := range taggedEndpoints {
		page := p.sendWithKey(t, http.MethodGet, p.path(endpoint)).Is(t, http.StatusOK)
		contents[i] = page.Header.Get("Content-Disposition") + page.Body
		tags[i] = page.Header.Get("ETag")
	}
	return contents, tags
}

func (p *taggedReport) seal(t *testing.T) {
	tb.Must(p.sealer.Seal(t.Context()))(t)
}

// rules.md, Unchanged: statistics that are read twice, as after a damaged segment, have no tag.
func TestStatisticsThatAreReadTwiceHaveNoTag(t *testing.T) {
	p := startTagged(t)
	p.seal(t)
	contents, tags := p.readReports(t)
	require.NotEmpty(t, tags[0])
	p.Exec(`update fork_days set sums = set_byte(sums, 6, 77)`)
	contentsAgain, tags := p.readReports(t)
	require.Equal(t, contents, contentsAgain)
	require.Empty(t, tags[0])
}

// otherValues has SQL expressions that change a column's value, by column name or by type.
var otherValues = map[string]string{
	"status": `'archived'`, "visibility": `'restricted'`, "source_locale": `'fr'`, "plan": `'enterprise'`,
	"reporting_mode": `'nominative'`, "uuid": `'00000000-0000-4000-8000-00000000ffff'`, "text": `%s || 'x'`,
	"boolean": `not %s`, "integer": `coalesce(%s, 0) + 1`, "smallint": `%s + 1`, "bigint": `%s + 1`,
	"bytea": `%s || '\x05'`, "jsonb": `'{"changed": true}'`, "timestamp with time zone": `%s + interval '-1 second'`,
}

// rules.md, Unchanged: a change of any column that changes the bytes of a report changes its tag, sealed or not.
func TestTagsChangeWithEveryColumn(t *testing.T) {
	p := startTagged(t)
	type column struct{ table, name, dataType string }
	rows := tb.Must(p.Owner.Pool.Query(t.Context(), `select table_name::text, column_name::text, data_type::text
		from information_schema.columns where table_schema = 'public'
		 and table_name in ('plays', 'players', 'forks', 'organisations')`))(t)
	columns := tb.Must(pgx.CollectRows(rows, func(r pgx.CollectableRow) (c column, err error) {
		return c, r.Scan(&c.table, &c.name, &c.dataType)
	}))(t)
	rowIDs := map[string]string{
		"plays": "00000000-0000-4000-8000-000000000130", "forks": p.fork.ID, "organisations": p.orgID,
		"players": testkit.Query[string](p.World, `select id::text from players where ordinal = 1`),
	}
	contents, tags := p.readReports(t)
	require.NotEqual(t, tags[0], tags[1])
	for stage, prepare := range map[string]func(){
		"before sealing": func() {}, "after sealing": func() { p.seal(t) },
		"after a rebuild": func() { tb.Must(p.sealer.Rebuild(t.Context(), time.Minute))(t) },
	} {
		var changed, refused []string
		for _, c := range columns {
			name := c.table + "." + c.name
			prepare()
			newValue := otherValues[c.dataType]
			if byName := otherValues[c.name]; byName != "" {
				newValue = byName
			}
			require.NotEmpty(t, newValue, name)
			if strings.Contains(newValue, "%s") {
				newValue = fmt.Sprintf(newValue, c.name)
			}
			oldValue := testkit.Query[*string](p.World,
				`select `+c.name+`::text from `+c.table+` where id = $1`, rowIDs[c.table])
			_, err := p.Owner.Pool.Exec(t.Context(),
				`update `+c.table+` set `+c.name+` = `+newValue+` where id = $1`, rowIDs[c.table])
			if err != nil {
				refused = append(refused, name)
				continue
			}
			for _, when := range []string{"changed", "sealed"} {
				changedContents, changedTags := p.readReports(t)
				for i := range changedContents {
					if changedContents[i] != contents[i] {
						require.NotEqual(t, tags[i], changedTags[i], "%s of %s, %s", name, taggedEndpoints[i], when)
						changed = append(changed, name)
					}
				}
				p.seal(t)
			}
			id := rowIDs[c.table]
			if c.name == "id" {
				id = "00000000-0000-4000-8000-00000000ffff"
			}
			p.Exec(`update `+c.table+` set `+c.name+` = $1::text::`+c.dataType+` where id = $2`, oldValue, id)
			_, restoredTags := p.readReports(t)
			require.Equal(t, tags, restoredTags, "%s: %s is as it was", stage, name)
		}
		slices.Sort(changed)
		require.Equal(t, []string{
			"forks.slug", "organisations.reporting_mode", "plays.answers", "plays.completed_at", "plays.id",
			"plays.passed", "plays.player", "plays.release_number", "plays.score", "plays.started_at",
		}, slices.Compact(changed), stage)
		require.Subset(t, refused, []string{
			"players.label", "players.ordinal", "players.org_id", "plays.fork_id", "plays.org_id",
			"forks.id", "forks.org_id", "organisations.id",
		}, stage)
	}
}

// rules.md, Unchanged: the current tag of this encoding gets 304, without body or audit entry, after all checks.
func TestUnchangedReportsAreNotSent(t *testing.T) {
	p := startTagged(t)
	foreign := p.AddFork(testkit.Fork{OrganisationID: p.AddOrganisation(testkit.Organisation{}).ID})
	p.sendWithKey(t, http.MethodGet, "/api/v1/forks/"+foreign.ID, "If-None-Match", "*").Is(t, http.StatusForbidden)
	p.sendWithKey(t, http.MethodGet, "/api/v1/forks/x", "If-None-Match", "*").Is(t, http.StatusNotFound)
	for path, cacheControl := range map[string]string{
		"/api/v1/forks": "private, no-cache", "/api/v1/forks/" + p.fork.ID: "private, no-cache",
		p.path("/stats"): "private, no-cache", p.path("/exports/csv"): "no-store, no-transform",
	} {
		first := p.sendWithKey(t, http.MethodGet, path).Is(t, http.StatusOK)
		tag := first.Header.Get("ETag")
		require.Regexp(t, `^"[\w-]{22}"$`, tag)
		require.Equal(t, tag, p.sendWithKey(t, http.MethodHead, path).Header.Get("ETag"))
		const started = "audit_entries where action <> 'export.finished'" // which is recorded after the response
		entryCount := p.CountRows(started)
		for _, sent := range []string{tag, `"other", W/` + tag, "*"} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				page := p.sendWithKey(t, method, path, "If-None-Match", sent).Is(t, http.StatusNotModified)
				require.Empty(t, page.Body)
				require.Regexp(t, `r=119;`, page.Header.Get("RateLimit"))
				for _, name := range []string{"ETag", "Cache-Control", "Vary", "DG-Months"} {
					require.Equal(t, first.Header.Values(name), page.Header.Values(name), name)
				}
				require.Equal(t, cacheControl, page.Header.Get("Cache-Control"))
			}
		}
		require.Equal(t, entryCount, p.CountRows(started), "a 304 makes no entry")
		p.sendWithKey(t, http.MethodGet, path, "If-None-Match", tag, "Accept-Encoding", "gzip").Is(t, http.StatusOK)
		gzipTag := p.sendWithKey(t, http.MethodHead, path, "Accept-Encoding", "gzip").Header.Get("ETag")
		p.sendWithKey(t, http.MethodGet, path, "If-None-Match", gzipTag).Is(t, http.StatusOK)
		if !strings.Contains(path, "?") {
			p.get(t, "/api/v1/forks", p.AddKey(foreign.OrganisationID), "If-None-Match", tag).Is(t, http.StatusOK)
			p.Exec(`update forks set title = title || '!' where id = $1`, p.fork.ID)
			changed := p.sendWithKey(t, http.MethodGet, path, "If-None-Match", tag).Is(t, http.StatusOK)
			require.NotEqual(t, tag, changed.Header.Get("ETag"))
			continue
		}
		otherPeriod := strings.Replace(path, "04-20", "04-21", 1) // adds a day without plays
		p.sendWithKey(t, http.MethodGet, otherPeriod, "If-None-Match", tag).Is(t, http.StatusOK)
		p.sendWithKey(t, http.MethodGet, path+"&x=1", "If-None-Match", "*").Is(t, http.StatusBadRequest)
	}
	require.Regexp(t, `^2024-01=[\w-]{8}, 2024-02=[\w-]{8}, 2024-03=[\w-]{8}, 2024-04=[\w-]{8}$`,
		p.sendWithKey(t, http.MethodHead, p.path("/exports/csv")).Header.Get("DG-Months"))
}

// rules.md, Unchanged: reports with names or groups, which may change, have no tag. "*" does not match them.
func TestReportsOfNamesAndGroupsHaveNoTag(t *testing.T) {
	p := startTagged(t)
	group := p.AddGroup(p.orgID, testkit.Player{Ordinal: 1}, testkit.Player{Ordinal: 2},
		testkit.Player{Ordinal: 3}, testkit.Player{Ordinal: 4}, testkit.Player{Ordinal: 5})
	for _, endpoint := range taggedEndpoints {
		for mode, suffix := range map[string]string{"pseudonymous": "&groupId=" + group, "nominative": ""} {
			p.Exec(`update organisations set reporting_mode = $1`, mode)
			page := p.sendWithKey(t, http.MethodGet, p.path(endpoint)+suffix, "If-None-Match", "*").Is(t, http.StatusOK)
			require.Empty(t, page.Header.Values("ETag"), endpoint+mode)
			require.Empty(t, page.Header.Values("DG-Months"), endpoint+mode)
		}
	}
}

// rules.md, Unchanged: a GET hashes at most 1,000 unsealed plays; HEAD and If-None-Match hash 10,000.
func TestHashedUnsealedPlaysAreBounded(t *testing.T) {
	p := startTagged(t)
	requireTags := func(wantTag bool, months int, method string, headers ...string) {
		t.Helper()
		header := p.sendWithKey(t, method, p.path("/exports/csv"), headers...).Is(t, http.StatusOK).Header
		require.Len(t, header.Values("DG-Months"), 1)
		require.Equal(t, []any{wantTag, months},
			[]any{header.Get("ETag") != "", strings.Count(header.Get("DG-Months"), "=")})
	}
	ifNoneMatch := []string{"If-None-Match", `""`}
	p.AddPlays(p.fork, 1000-60, parseDay("2024-03-01"), time.Second)
	requireTags(true, 4, http.MethodGet)
	p.AddPlays(p.fork, 1, parseDay("2024-03-02"), time.Second)
	requireTags(false, 3, http.MethodGet) // the last play of April exceeds the bound
	requireTags(true, 4, http.MethodHead)
	requireTags(true, 4, http.MethodGet, ifNoneMatch...)
	p.AddPlays(p.fork, 9000, parseDay("2024-01-11"), 10*time.Second)
	requireTags(false, 0, http.MethodGet)
	requireTags(false, 3, http.MethodHead)
	requireTags(false, 3, http.MethodGet, ifNoneMatch...)
	stats := p.sendWithKey(t, http.MethodGet, p.path("/stats"), "If-None-Match", "*").Is(t, http.StatusOK)
	require.Empty(t, stats.Header.Values("ETag"))
	p.seal(t)
	requireTags(true, 4, http.MethodGet)
}

// The bytes of statistics and CSV, plain and compressed, may change only with wireVersion, so that all tags change. A
// new field changes the tags by itself. If only compressed bytes differ, raise gzipVersion in httpserver.
func TestBytesOfReportsChangeWithTheirVersion(t *testing.T) {
	p := startTagged(t)
	for path, want := range map[string][2]string{
		"/stats":       {"36ba915d2719ed1e", "898d9fd631406927"},
		"/exports/csv": {"759350f3ded627ac", "1b017d2da97425df"},
	} {
		for i, coding := range []string{"identity", "gzip"} {
			page := p.sendWithKey(t, http.MethodGet, p.path(path), "Accept-Encoding", coding).Is(t, http.StatusOK)
			sum := sha256.Sum256([]byte(page.Body))
			assert.Equal(t, want[i], hex.EncodeToString(sum[:8]),
				"%s %s: raise wireVersion (fingerprint.go) unless a field is new, then replace hashes", path, coding)
		}
	}
}
