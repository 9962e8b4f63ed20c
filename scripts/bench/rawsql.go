package main

import (
	"bytes"
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
	path := fmt.Sprintf("/api/v1/forks/%s/%s?from=%s&to=%s", q.set.IDs.Forks[0], of, q.from.Format(time.DateOnly), q.end().AddDate(0, 0, -1).Format(time.DateOnly))
	if q.group != "" {
		path += "&groupId=" + q.group
	}
	return path
}

// where restricts plays to the query.
func (q query) where() (sql string, args []any) {
	sql = ` from plays where org_id = $1 and fork_id = $2 and started_at >= $3 and started_at < $4`
	args = []any{pgx.QueryExecModeCacheDescribe, q.organisation(), q.set.IDs.Forks[0], q.from, q.end()}
	if q.group != "" {
		sql += ` and player = any (array(select player from group_members where org_id = $1 and group_id = $5))`
		args = append(args, q.group)
	}
	return sql, args
}

// The statements that compute the figures from the plays, one pass each. Answers are a byte each: equal arrays are counted
// first and unpacked once, the quickest of four ways that were tried.
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

// rawStatistics computes the figures with SQL over the plays, in one snapshot as the API does.
func (b *bench) rawStatistics(ctx context.Context, q query) (*statistics, error) {
	s := &statistics{from: q.from, days: make([]daySum, q.days)}
	where, args := q.where()
	err := pgx.BeginTxFunc(ctx, b.reads, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var day, last time.Time
		var d daySum
		var passed, count int64
		var p playerSum
		var answer int32
		for _, part := range []struct {
			sql  string
			into []any
			row  func()
		}{
			{rawDays, []any{&day, &d.plays, &d.completed, &d.score, &passed}, func() {
				s.days[int(day.Sub(q.from)/(24*time.Hour))] = d
				s.passed += passed
			}},
			{rawPlayers, []any{&p.label, &p.plays, &p.best, &last, &p.passed}, func() {
				p.last = last.UnixMilli()
				s.players = append(s.players, p)
			}},
			{rawSkills, []any{&answer, &count}, func() { s.addAnswers(byte(answer), count) }},
		} {
			rows, err := tx.Query(ctx, fmt.Sprintf(part.sql, where), args...)
			if err != nil {
				return err
			}
			if _, err := pgx.ForEachRow(rows, part.into, func() error { part.row(); return nil }); err != nil {
				return err
			}
		}
		return nil
	})
	s.suppressed = q.group != "" && len(s.players) < 5
	return s, err
}

// computing is the work of a contestant: the figures by raw SQL.
func (b *bench) computing(q query) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := b.rawStatistics(ctx, q)
		return err
	}
}

// check compares the API's answers with raw SQL's figures, to the byte, over periods that end in the unfinished day, lie
// before all plays or between, and over groups.
func (b *bench) check(ctx context.Context) error {
	b.report.progress("checking the figures against raw SQL")
	c, err := b.client(ctx, b.main.IDs.Organisation.String())
	if err != nil {
		return err
	}
	year, before, middle := b.last(b.main, 366), b.last(b.main, 31), b.last(b.main, 200)
	before.from, middle.from = before.from.AddDate(-2, 0, 0), year.from.AddDate(0, 0, 13)
	var queries []query
	for _, q := range []query{year, b.last(b.main, 30), b.last(b.main, 1), middle, before} {
		queries = append(queries, q, q.of(0), q.of(1))
	}
	for _, q := range queries {
		want, err := b.rawStatistics(ctx, q)
		if err != nil {
			return err
		}
		if err := c.get(q.statsPath(), same(want)); err != nil {
			return err
		}
	}
	b.report.note("before anything was timed, the answers to %d queries were equal to raw SQL's figures to the byte", len(queries))
	return nil
}

// same compares an answer with figures.
func same(want *statistics) func(body []byte) error {
	return func(body []byte) error {
		text := want.appendJSON(nil)
		if bytes.Equal(text, body) {
			return nil
		}
		at := 0
		for at < min(len(text), len(body)) && text[at] == body[at] {
			at++
		}
		from := max(0, at-80)
		return fmt.Errorf("wrong figures at byte %d: …%s… instead of …%s…", at, body[from:min(len(body), at+80)], text[from:min(len(text), at+80)])
	}
}
