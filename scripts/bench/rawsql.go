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
	end := b.set.Now.Truncate(24*time.Hour).AddDate(0, 0, 1)
	return query{set: set, from: end.AddDate(0, 0, -days), days: days}
}

// of narrows a query to a group of the data set.
func (q query) of(group int) query {
	q.group = q.set.IDs.Groups[group].String()
	return q
}

func (q query) organisation() string { return q.set.IDs.Organisation.String() }
func (q query) fork() string         { return q.set.IDs.Forks[0].String() }
func (q query) end() time.Time       { return q.from.AddDate(0, 0, q.days) }

func (q query) parameters() string {
	p := "?from=" + q.from.Format(time.DateOnly) + "&to=" + q.end().AddDate(0, 0, -1).Format(time.DateOnly)
	if q.group != "" {
		p += "&groupId=" + q.group
	}
	return p
}

func (q query) statsPath() string { return "/api/v1/forks/" + q.fork() + "/stats" + q.parameters() }
func (q query) exportPath() string {
	return "/api/v1/forks/" + q.fork() + "/exports/csv" + q.parameters()
}

// where restricts plays to the query, with its arguments. A group goes in as an array, which PostgreSQL looks up in
// plays_player, or hashes.
func (q query) where() (sql string, args []any) {
	sql = ` from plays where org_id = $1 and fork_id = $2 and started_at >= $3 and started_at < $4`
	args = []any{pgx.QueryExecModeCacheDescribe, q.organisation(), q.fork(), q.from, q.end()}
	if q.group != "" {
		sql += ` and player = any (array(select player from group_members where org_id = $1 and group_id = $5))`
		args = append(args, q.group)
	}
	return sql, args
}

// The statements that compute the figures from the plays, as well as SQL can. Each is one pass; PostgreSQL plans them for
// their parameters, and may use parallel workers. Answers are a byte each: equal ones are counted first and unpacked once,
// which was the quickest of four ways (play by play took 1.2 to 1.4 times as long, a day's joined into one 2 to 3 times).
const (
	rawDays = `/* bench.rawDays */ select started_at::date, count(*), count(score), coalesce(sum(score), 0),
		count(*) filter (where passed)%s group by 1`
	rawPlayers = `/* bench.rawPlayers */ select p.label, x.plays, x.best, x.last, x.passed from (
			select player, count(*) as plays, coalesce(max(score), 0) as best, max(started_at) as last,
			       coalesce(bool_or(passed), false) as passed%s group by player) x
		  join players p on p.org_id = $1 and p.ordinal = x.player
		 order by x.plays desc, (x.best + 5) / 10 desc, p.label collate "C", x.last desc`
	rawSkills = `/* bench.rawSkills */ select get_byte(answers, i), sum(n)::bigint from (select answers, count(*) as n%s group by 1) d,
		lateral generate_series(0, octet_length(answers) - 1) i group by 1`
)

// rawFigures computes the figures with SQL over the plays, in one snapshot as the API does.
func (b *bench) rawFigures(ctx context.Context, q query) (*figures, error) {
	f := &figures{from: q.from, days: make([]daySum, q.days)}
	where, args := q.where()
	err := pgx.BeginTxFunc(ctx, b.reads, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var day time.Time
		var d daySum
		var passed int64
		if err := each(ctx, tx, fmt.Sprintf(rawDays, where), args, []any{&day, &d.plays, &d.completed, &d.score, &passed}, func() {
			f.days[int(day.Sub(q.from)/(24*time.Hour))] = d
			f.passed += passed
		}); err != nil {
			return err
		}
		var p playerSum
		var last time.Time
		if err := each(ctx, tx, fmt.Sprintf(rawPlayers, where), args, []any{&p.label, &p.plays, &p.best, &last, &p.passed}, func() {
			p.last = last.UnixMilli()
			f.players = append(f.players, p)
		}); err != nil {
			return err
		}
		var answer int32
		var count int64
		return each(ctx, tx, fmt.Sprintf(rawSkills, where), args, []any{&answer, &count}, func() {
			s := &f.skills[answer>>1]
			s.attempts += count
			s.correct += count * int64(answer&1)
		})
	})
	if err != nil {
		return nil, fmt.Errorf("raw SQL: %w", err)
	}
	f.suppress(q)
	return f, nil
}

// suppress applies k-anonymity: fewer than five active members of a group are never shown.
func (f *figures) suppress(q query) {
	f.suppressed = q.group != "" && len(f.players) < 5
}

func each(ctx context.Context, tx pgx.Tx, sql string, args, into []any, row func()) error {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, into, func() error { row(); return nil })
	return err
}
