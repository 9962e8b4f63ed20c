package chaos

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/modules/games"
	"dg/platform/postgres"
	"dg/platform/testkit/fixtures"
	"dg/platform/testkit/pgtest"
)

// maxComparedForks bounds how many forks are compared, those with the most plays first.
const maxComparedForks = 8

// comparedFork is a fork whose statistics are compared, in the period that ends with its last play.
type comparedFork struct {
	Fork, Organisation string
	From, To           time.Time
}

// wrongFigures asks every instance for the statistics of the forks, and PostgreSQL for the same in
// one statement on the plays.
func (o *ordeal) wrongFigures(t *testing.T) (problems []string) {
	t.Helper()
	rows, err := o.door.Query(t.Context(),
		`select fork_id::text, org_id::text, greatest(min(started_at)::date,
			max(started_at)::date - 365), max(started_at)::date
		from plays group by 1, 2 order by count(*) desc, 1 limit $1`, maxComparedForks)
	require.NoError(t, err)
	forks, err := pgx.CollectRows(rows, pgx.RowToStructByPos[comparedFork])
	require.NoError(t, err)
	db := fixtures.On(t, &pgtest.Database{Owner: &postgres.DB{Pool: o.door.Pool}})
	for _, f := range forks {
		o.door.Do(t,
			`update organisations set plan = 'pro' where id = $1 and plan not in ('pro', 'enterprise')`,
			f.Organisation)
		token := db.Key(f.Organisation).Token()
		o.secrets["the key of the comparison of "+f.Fork] = token
		want := f.figures(t, o.door)
		for i, c := range o.running() {
			path := fmt.Sprintf("%s/api/v1/forks/%s/stats?from=%s&to=%s", c.URL, f.Fork,
				f.From.Format(time.DateOnly), f.To.Format(time.DateOnly))
			response := apptest.Ask(t, apptest.NewClient(), path, token)
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			if !sameJSON(t, want, body) {
				problems = append(problems,
					fmt.Sprintf("instance %d on the fork %s: %d %.1000s\nthe plays say %.1000s", i,
						f.Fork, response.StatusCode, body, want))
			}
		}
	}
	return problems
}

func sameJSON(t *testing.T, want, got []byte) bool {
	t.Helper()
	var a, b any
	require.NoError(t, json.Unmarshal(want, &a))
	return json.Unmarshal(got, &b) == nil && reflect.DeepEqual(a, b)
}

// figures are the statistics by their definition (rules.md, Figures), from the plays alone.
func (f comparedFork) figures(t *testing.T, d *apptest.Door) []byte {
	t.Helper()
	var skills []string
	for i := range games.SkillCount {
		skills = append(skills, games.Skill(i).ID())
	}
	return []byte(apptest.Read[string](t, d, `
with p as (select * from plays where fork_id = $1 and org_id = $2 and started_at >= $3::date
  and started_at < $4::date + 1),
days as (select d::date as day, count(p.id) as plays,
  coalesce(round(sum(score) / (100.0 * nullif(count(completed_at), 0)), 1), 0) as score
	from generate_series($3::date::timestamp, $4::date, '1 day') d left
	  join p on (p.started_at at time zone 'UTC')::date = d group by 1),
who as (select case o.reporting_mode when 'nominative' then display_name else label end as label, count(*) as plays,
	coalesce(round(max(score) / 100.0, 1), 0) as best, to_char(max(started_at) at time zone 'UTC',
	  'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last,
	coalesce(bool_or(passed), false) as passed
	from p join players w on w.org_id = p.org_id and w.ordinal = p.player
	  join organisations o on o.id = p.org_id group by w.ordinal, 1),
answers as (select get_byte(answers, i) as b from p, generate_series(0, octet_length(answers) - 1) i),
skills as (select b >> 1 as skill, count(*) as attempts, round(sum(b & 1)::numeric / count(*), 4)
  as rate from answers group by 1)
select json_build_object('plays', count(*), 'uniquePlayers', count(distinct player),
	'avgScorePercent', coalesce(round(sum(score) / (100.0 * nullif(count(completed_at), 0)), 1), 0),
	'completionRate', coalesce(round(count(completed_at)::numeric / nullif(count(*), 0), 4), 0),
	'passRate', coalesce(round(count(*) filter (where passed)::numeric / nullif(count(completed_at), 0), 4), 0),
	'reportingMode', (select reporting_mode from organisations where id = $2), 'suppressed', false,
	'daily', (select json_agg(json_build_object('date', day::text, 'plays', plays,
	  'avgScorePercent', score) order by day) from days),
	'players', (select coalesce(json_agg(json_build_object('playerLabel', label, 'plays', plays,
	  'bestScorePercent', best, 'lastPlayedAt', last, 'passed', passed)
		order by plays desc, best desc, label collate "C", last desc, passed desc), '[]') from who),
	'skills', (select coalesce(json_agg(json_build_object('skillId', ($5::text[])[skill + 1],
	  'attempts', attempts, 'correctRate', rate) order by skill), '[]')
		from skills))::text from p`, f.Fork, f.Organisation, f.From, f.To, skills))
}
