package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// query is what a report is asked of.
type query struct {
	set   *dataset
	group string // "": all players
	from  time.Time
	days  int
}

// last returns the query of the last days of a data set.
func (b *bench) last(set *dataset, days int) query {
	end := b.data.Now.Truncate(24*time.Hour).AddDate(0, 0, 1)
	return query{set: set, from: end.AddDate(0, 0, -days), days: days}
}

// of narrows a query to a group of the data set.
func (q query) of(group int) query {
	q.group = q.set.IDs.Groups[group].String()
	return q
}

func (q query) organisation() string { return q.set.IDs.Organisation.String() }
func (q query) end() time.Time       { return q.from.AddDate(0, 0, q.days) }
func (q query) statsPath() string    { return q.path("stats") }
func (q query) exportPath() string   { return q.path("exports/csv") }

func (q query) path(of string) string {
	path := fmt.Sprintf("/api/v1/forks/%s/%s?from=%s&to=%s", q.set.IDs.Forks[0], of,
		q.from.Format(time.DateOnly), q.end().AddDate(0, 0, -1).Format(time.DateOnly))
	if q.group != "" {
		path += "&groupId=" + q.group
	}
	return path
}

// where restricts plays to the query.
func (q query) where() (sql string, args []any) {
	sql = ` from plays where org_id = $1 and fork_id = $2 and started_at >= $3 and started_at < $4`
	args = []any{
		pgx.QueryExecModeCacheDescribe, q.organisation(), q.set.IDs.Forks[0], q.from, q.end(),
	}
	if q.group != "" {
		sql +=
			` and player = any (array(select player from group_members where org_id = $1 and group_id = $5))`
		args = append(args, q.group)
	}
	return sql, args
}

// rawStatistics are the statements that compute the figures from the plays, one pass each. Answers
// are a byte each: equal arrays are counted first and unpacked once, the quickest of four ways that
// were tried.
var rawStatistics = []string{
	`/* bench.rawDays */ select started_at::date, count(*), count(score), coalesce(sum(score), 0),
		count(*) filter (where passed)%s group by 1`,
	`/* bench.rawPlayers */ select p.label, x.plays, x.best, x.last, x.passed from (
			select player, count(*) as plays, coalesce(max(score), 0) as best, max(started_at) as last,
			       coalesce(bool_or(passed), false) as passed%s group by player) x
		  join players p on p.org_id = $1 and p.ordinal = x.player
		 order by x.plays desc, (x.best + 5) / 10 desc, p.label collate "C", x.last desc`,
	`/* bench.rawSkills */ select get_byte(answers, i), sum(n)::bigint
		from (select answers, count(*) as n%s group by 1) d,
		lateral generate_series(0, octet_length(answers) - 1) i group by 1`,
}

// computing is the work of a contestant: the figures by raw SQL, in one snapshot as in the API. Its
// rows are received and no more.
func (b *bench) computing(q query) func(context.Context) error {
	where, args := q.where()
	return func(ctx context.Context) error {
		return pgx.BeginTxFunc(ctx, b.reads,
			pgx.TxOptions{
				IsoLevel:   pgx.RepeatableRead,
				AccessMode: pgx.ReadOnly,
			}, func(tx pgx.Tx) error {
				for _, sql := range rawStatistics {
					rows, err := tx.Query(ctx, fmt.Sprintf(sql, where), args...)
					if err != nil {
						return err
					}
					if rows.Close(); rows.Err() != nil { // Close receives what is left
						return rows.Err()
					}
				}
				return nil
			})
	}
}
