package main

import (
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// query selects the plays of a report.
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
