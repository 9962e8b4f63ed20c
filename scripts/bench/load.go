package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"dg/modules/games"
)

// answerPieces is how many pieces of answers there are of each half of the skills: two make a play's answers.
const answerPieces = 512

// loadPlays writes the plays of the data set's first fork in the order of time: 5.5 answers a play, nine of ten plays
// finished. Triggers are off, and keys and indexes are made afterwards.
func (b *bench) loadPlays(ctx context.Context, d *dataset) error {
	begin := b.data.Now.AddDate(0, 0, -setDays)
	insert := fmt.Sprintf(`insert into plays (started_at, completed_at, player, release_number, score, passed, id, org_id, fork_id, answers)
		select started, case when done then started + took * interval '1 millisecond' end, player, release,
		       case when done then score end, case when done then score >= 7000 end, gen_random_uuid(), '%s', '%s', x.bytes || y.bytes
		  from (select date_trunc('milliseconds', '%s'::timestamptz + i * %g * interval '1 millisecond') as started, 1 + i * 8 / %[5]d as release,
		               60000 + floor(random() * 1200000) as took, 1 + floor(random() * %[6]d) as player, random() < 0.9 as done,
		               least(2000 + floor(random() * 8500), 10000) as score, floor(random() * %[7]d)::int as first, %[7]d + floor(random() * %[7]d)::int as second
		          from generate_series(0, %[5]d::bigint - 1) i offset 0) p
		  join bench_answers x on x.n = first join bench_answers y on y.n = second`,
		d.IDs.Organisation, d.IDs.Forks[0], begin.Format(time.RFC3339Nano), setDays*float64(dayMillis)/float64(d.Plays), d.Plays, d.Players, answerPieces)
	return pgx.BeginFunc(ctx, b.owner, func(tx pgx.Tx) error {
		var loaded bool
		if err := tx.QueryRow(ctx, `/* bench.loaded */ select exists (select from plays where fork_id = $1)`, d.IDs.Forks[0]).Scan(&loaded); err != nil || loaded {
			return err
		}
		drop, restore, err := indexesOfPlays(ctx, tx, d.Plays)
		if err != nil {
			return err
		}
		if err := execute(ctx, tx, append(drop, `set local maintenance_work_mem = '256MB'`, `set local enable_mergejoin = off`, `set local enable_nestloop = off`,
			`create temporary table bench_answers (n integer, bytes bytea) on commit drop`)...); err != nil {
			return err
		}
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"bench_answers"}, []string{"n", "bytes"}, pgx.CopyFromRows(answers(d.seed()))); err != nil {
			return err
		}
		if err := setTriggers(ctx, tx, false); err != nil {
			return err
		}
		if err := execute(ctx, tx, append([]string{`analyze bench_answers`, insert}, restore...)...); err != nil {
			return err
		}
		return setTriggers(ctx, tx, true)
	})
}

// session is a pool or a transaction.
type session interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

func execute(ctx context.Context, s session, statements ...string) error {
	for _, sql := range statements {
		if _, err := s.Exec(ctx, `/* bench.load */ `+sql); err != nil {
			return fmt.Errorf("%.60s: %w", sql, err)
		}
	}
	return nil
}

// indexesOfPlays returns the statements that drop the keys and indexes of plays and those that make them again; none where
// the table holds more plays than are to come.
func indexesOfPlays(ctx context.Context, s session, coming int) (drop, restore []string, err error) {
	rows, err := s.Query(ctx, `/* bench.indexes */ select x.* from (
		select 'alter table plays drop constraint ' || quote_ident(conname), 'alter table plays add constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid)
		  from pg_constraint where conrelid = 'plays'::regclass and contype in ('p', 'f')
		union all
		select 'drop index ' || indexrelid::regclass, pg_get_indexdef(indexrelid)
		  from pg_index where indrelid = 'plays'::regclass and not exists (select from pg_constraint c where c.conindid = indexrelid and c.conrelid = indrelid)
		order by 1) x where (select count(*) from plays) < $1`, coming)
	if err != nil {
		return nil, nil, err
	}
	var dropping, making string
	_, err = pgx.ForEachRow(rows, []any{&dropping, &making}, func() error {
		drop, restore = append(drop, dropping), append(restore, making)
		return nil
	})
	return drop, restore, err
}

// answers draws the pieces: one or two skills of the first half of all, and as many of the second.
func answers(seed uint64) [][]any {
	random := rand.New(rand.NewPCG(seed, 0))
	rows := make([][]any, 2*answerPieces)
	for i := range rows {
		half, first := i/answerPieces*games.SkillCount/2, random.IntN(games.SkillCount/2)
		var results []games.SkillResult
		for k := range 1 + random.IntN(2) {
			attempts := []int{1, 1, 2, 2, 2, 3}[random.IntN(6)]
			skill := games.Skill(half + (first+7*k)%(games.SkillCount/2))
			results = append(results, games.SkillResult{Skill: skill, Attempts: attempts, Correct: random.IntN(attempts + 1)})
		}
		rows[i] = []any{i, games.PackAnswers(results)}
	}
	return rows
}

// setTriggers enables or disables the triggers on plays that are not those of foreign keys.
func setTriggers(ctx context.Context, s session, on bool) error {
	rows, err := s.Query(ctx, `/* bench.triggers */ select quote_ident(tgname) from pg_trigger
		where tgrelid = 'plays'::regclass and not tgisinternal and (tgenabled = 'D') = $1`, on)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(names) == 0 {
		return err
	}
	verb := "disable trigger "
	if on {
		verb = "enable always trigger "
	}
	return execute(ctx, s, `alter table plays `+verb+strings.Join(names, ", "+verb))
}
