package publicapi_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/modules/reports/sealer"
	"dg/platform/testkit"
)

// provable is a pseudonymous organisation whose fork has plays in January, March and April 2024.
type provable struct {
	*world
	org    string
	fork   testkit.Fork
	key    testkit.Key
	sealer *sealer.Sealer
}

const provedPeriod = "?from=2024-01-10&to=2024-04-20"

func startProvable(t *testing.T) *provable {
	t.Parallel()
	p := &provable{world: start(t)}
	p.org = p.Organisation(testkit.Organisation{ID: "00000000-0000-4000-8000-0000000000a0"}).ID
	p.fork = p.Fork(testkit.Fork{
		ID: "00000000-0000-4000-8000-0000000000f0", OrganisationID: p.org, Slug: "dock",
	})
	players := p.Players(p.org, 7)
	for i := range 60 {
		at := day("2024-01-15").AddDate(0, []int{0, 2, 3}[i%3], i%5).
			Add(time.Duration(i) * time.Minute)
		play := testkit.Play{
			ID:   fmt.Sprintf("00000000-0000-4000-8000-0000000001%02d", i),
			Fork: p.fork, Player: players[i%7], StartedAt: at, Answers: []byte{3, 2, 9},
		}
		if i%4 > 0 {
			play.CompletedAt = at.Add(90 * time.Second)
			play.Score = 100 * i
			play.Passed = i%2 == 0
		}
		p.Play(play)
	}
	p.key = p.Key(p.org)
	p.sealer = sealer.New(p.DB, time.Now, slog.New(slog.DiscardHandler))
	p.sealer.MinPlays = 0
	return p
}

func (p *provable) path(endpoint string) string {
	return "/api/v1/forks/" + p.fork.ID + endpoint + provedPeriod
}

var provedEndpoints = []string{"/stats", "/exports/csv"}

func (p *provable) ask(t *testing.T, method, path string, headers ...string) testkit.Page {
	p.Exec(`delete from api_key_windows`)
	return p.send(t, method, path, "Bearer "+p.key.Token(), headers...)
}

// read returns the bytes of both reports, and their tags.
func (p *provable) read(t *testing.T) (bytes, tags [2]string) {
	for i, endpoint := range provedEndpoints {
		got := p.ask(t, http.MethodGet, p.path(endpoint)).Is(t, http.StatusOK)
		bytes[i] = got.Header.Get("Content-Disposition") + got.Body
		tags[i] = got.Header.Get("ETag")
	}
	return bytes, tags
}

func (p *provable) seal(t *testing.T) {
	_, err := p.sealer.Seal(t.Context())
	require.NoError(t, err)
}

// otherValue is an expression of another value of a column, by the column or by its type.
var otherValue = map[string]string{
	"status": `'archived'`, "visibility": `'restricted'`, "source_locale": `'fr'`,
	"plan": `'enterprise'`, "reporting_mode": `'nominative'`,
	"uuid": `'00000000-0000-4000-8000-00000000ffff'`, "text": `%s || 'x'`, "boolean": `not %s`,
	"integer": `coalesce(%s, 0) + 1`, "smallint": `%s + 1`, "bigint": `%s + 1`,
	"bytea": `%s || '\x05'`, "jsonb": `'{"changed": true}'`,
	"timestamp with time zone": `%s + interval '-1 second'`,
}

// rules.md, Unchanged: each column of the tables that reports read is changed, of plays that are sealed
// and of others. Wherever the bytes differ the tag differs, or PostgreSQL refuses the change. A value
// that comes back has its former tag.
func TestTagsChangeWithEveryColumn(t *testing.T) {
	p := startProvable(t)
	type column struct{ table, name, kind string }
	rows, err := p.Owner.Pool.Query(t.Context(), `select table_name::text, column_name::text, data_type::text
		from information_schema.columns where table_schema = 'public'
		 and table_name in ('plays', 'players', 'forks', 'organisations')`)
	require.NoError(t, err)
	columns, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (c column, err error) {
		return c, r.Scan(&c.table, &c.name, &c.kind)
	})
	require.NoError(t, err)
	row := map[string]string{
		"plays": "00000000-0000-4000-8000-000000000130", "forks": p.fork.ID, "organisations": p.org,
		"players": testkit.One[string](p.World, `select id::text from players where ordinal = 1`),
	}
	bytes, tags := p.read(t)
	require.NotEqual(t, tags[0], tags[1])
	for state, prepare := range map[string]func(){
		"before sealing": func() {}, "after sealing": func() { p.seal(t) },
		"after a rebuild": func() {
			_, err := p.sealer.Rebuild(t.Context(), time.Minute)
			require.NoError(t, err)
		},
	} {
		var changed, refused []string
		for _, c := range columns {
			name := c.table + "." + c.name
			prepare()
			other := otherValue[c.kind]
			if of := otherValue[c.name]; of != "" {
				other = of
			}
			require.NotEmpty(t, other, name)
			if strings.Contains(other, "%s") {
				other = fmt.Sprintf(other, c.name)
			}
			former := testkit.One[*string](p.World,
				`select `+c.name+`::text from `+c.table+` where id = $1`, row[c.table])
			_, err := p.Owner.Pool.Exec(t.Context(),
				`update `+c.table+` set `+c.name+` = `+other+` where id = $1`, row[c.table])
			if err != nil {
				refused = append(refused, name)
				continue
			}
			for _, when := range []string{"changed", "sealed"} {
				gotBytes, gotTags := p.read(t)
				for i := range gotBytes {
					if gotBytes[i] != bytes[i] {
						require.NotEqual(t, tags[i], gotTags[i], "%s of %s, %s", name, provedEndpoints[i], when)
						changed = append(changed, name)
					}
				}
				p.seal(t)
			}
			id := row[c.table]
			if c.name == "id" {
				id = "00000000-0000-4000-8000-00000000ffff"
			}
			p.Exec(`update `+c.table+` set `+c.name+` = $1::text::`+c.kind+` where id = $2`, former, id)
			_, again := p.read(t)
			require.Equal(t, tags, again, "%s: %s is as it was", state, name)
		}
		slices.Sort(changed)
		require.Equal(t, []string{
			"forks.slug", "organisations.reporting_mode", "plays.answers", "plays.completed_at",
			"plays.id", "plays.passed", "plays.player", "plays.release_number", "plays.score",
			"plays.started_at",
		}, slices.Compact(changed), state)
		require.Subset(t, refused, []string{
			"players.label", "players.ordinal", "players.org_id", "plays.fork_id", "plays.org_id",
			"forks.id", "forks.org_id", "organisations.id",
		}, state)
	}
}
