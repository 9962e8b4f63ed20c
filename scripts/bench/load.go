package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"dg/app/demo"
	"dg/modules/games"
	"dg/modules/reports"
)

// load makes a data set: what its plays refer to comes in by `dg import`, the plays by one statement, several times as
// fast. One that was cut off is simply loaded again: the same seed gives the same ids.
func (b *bench) load(ctx context.Context, d *dataset) error {
	r, w := io.Pipe()
	ids := make(chan demo.ScaleIDs, 1)
	go func() {
		out, err := demo.Scale(w, d.seed(), b.set.Now, demo.Size{Players: d.Players, Forks: d.Forks, Groups: d.Groups})
		ids <- out
		_ = w.CloseWithError(err)
	}()
	err := b.dg(ctx, r, "import", "-")
	_ = r.Close() // ends Scale where the import has failed
	d.IDs = <-ids
	if err != nil || d.Plays == 0 {
		return err
	}
	return pgx.BeginFunc(ctx, b.owner, func(tx pgx.Tx) error { return b.loadPlays(ctx, tx, d) })
}

// answerPieces is how many pieces of answers there are of each half of the skills: two make a play's, so that as many
// plays have the same as in an import.
const answerPieces = 512

// loadPlays writes the plays of the data set's first fork: 5.5 answers a play, nine of ten plays finished, in the order of
// time. The triggers are off: no segment is of a fork that has no plays yet. Where most plays are new, indexes and keys are
// made after them.
func (b *bench) loadPlays(ctx context.Context, tx pgx.Tx, d *dataset) error {
	var there bool
	if err := tx.QueryRow(ctx, `/* bench.there */ select exists (select from plays where fork_id = $1)`, d.IDs.Forks[0]).Scan(&there); err != nil || there {
		return err
	}
	stored := 0
	for _, s := range b.set.Sets {
		stored += s.Plays
	}
	var drop, restore []string
	if d.Plays > stored {
		var err error
		if drop, restore, err = constraintsOfPlays(ctx, tx); err != nil {
			return err
		}
	}
	begin := b.set.Now.AddDate(0, 0, -setDays)
	insert := fmt.Sprintf(`/* bench.load */ insert into plays (started_at, completed_at, player, release_number, score, passed, id, org_id, fork_id, answers)
		select started, case when done then started + took * interval '1 millisecond' end, player, release,
		       case when done then score end, case when done then score >= 7000 end, gen_random_uuid(), '%s', '%s', x.bytes || y.bytes
		  from (select date_trunc('milliseconds', '%s'::timestamptz + i * %g * interval '1 millisecond') as started, 1 + i * 8 / %[5]d as release,
		               60000 + floor(random() * 1200000) as took, 1 + floor(random() * %[6]d) as player, random() < 0.9 as done,
		               least(2000 + floor(random() * 8500), 10000) as score, floor(random() * %[7]d)::int as first, %[7]d + floor(random() * %[7]d)::int as second
		          from generate_series(0, %[5]d::bigint - 1) i offset 0) p
		  join bench_answers x on x.n = first join bench_answers y on y.n = second`,
		d.IDs.Organisation, d.IDs.Forks[0], begin.Format(time.RFC3339Nano), setDays*float64(dayMillis)/float64(d.Plays), d.Plays, d.Players, answerPieces)
	before := append([]string{`/* bench.load */ set local maintenance_work_mem = '256MB'; set local enable_mergejoin = off; set local enable_nestloop = off;
		create temporary table bench_answers (n integer, bytes bytea) on commit drop`}, drop...)
	if err := execAll(ctx, tx, before); err != nil {
		return err
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"bench_answers"}, []string{"n", "bytes"}, pgx.CopyFromRows(answers(d.seed()))); err != nil {
		return err
	}
	if err := setTriggers(ctx, tx, false); err != nil {
		return err
	}
	if err := execAll(ctx, tx, append([]string{`/* bench.load */ analyze bench_answers`, insert}, restore...)); err != nil {
		return err
	}
	if err := setTriggers(ctx, tx, true); err != nil {
		return err
	}
	// Every dg import seals what is due in its end, and would find its way badly through plays that nobody has analysed.
	_, err := tx.Exec(ctx, `/* bench.load */ analyze plays`)
	return err
}

// session is a pool or a transaction.
type session interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

func execAll(ctx context.Context, s session, statements []string) error {
	for _, sql := range statements {
		if _, err := s.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%.60s: %w", sql, err)
		}
	}
	return nil
}

// constraintsOfPlays returns the statements that drop the keys and indexes of plays, and those that make them again.
func constraintsOfPlays(ctx context.Context, s session) (drop, restore []string, err error) {
	rows, err := s.Query(ctx, `/* bench.constraints */
		select 'alter table plays drop constraint ' || quote_ident(conname), 'alter table plays add constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid)
		  from pg_constraint where conrelid = 'plays'::regclass and contype in ('p', 'f')
		union all
		select 'drop index ' || indexrelid::regclass, pg_get_indexdef(indexrelid)
		  from pg_index where indrelid = 'plays'::regclass and not exists (select from pg_constraint c where c.conindid = indexrelid and c.conrelid = indrelid)
		order by 1`)
	if err != nil {
		return nil, nil, err
	}
	var one, other string
	_, err = pgx.ForEachRow(rows, []any{&one, &other}, func() error {
		drop, restore = append(drop, one), append(restore, other)
		return nil
	})
	return drop, restore, err
}

// answers draws the pieces: one or two skills of the first half of all, and as many of the second.
func answers(seed uint64) [][]any {
	random := rand.New(rand.NewPCG(seed, 0))
	rows := make([][]any, 2*answerPieces)
	for i := range rows {
		half := i / answerPieces * games.SkillCount / 2
		first := random.IntN(games.SkillCount / 2)
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

// settle leaves the tables as a server has them that runs for a while: finished days sealed, vacuumed, analysed.
func (b *bench) settle(ctx context.Context) error {
	if !b.changed {
		return nil
	}
	b.changed = false
	b.say("seal, vacuum, analyze")
	for began := time.Now(); ; {
		// An import seals what is due when it is done, whatever it imports, unless the server's sealer is at work.
		if err := b.dg(ctx, strings.NewReader(""), "import", "-"); err != nil {
			return err
		}
		due, err := b.due(ctx)
		if err != nil {
			return err
		}
		if due == 0 {
			break
		}
		if time.Since(began) > sealPatience {
			return fmt.Errorf("%d days and months were not sealed within %s", due, sealPatience)
		}
	}
	rows, err := b.owner.Query(ctx, `/* bench.tables */ select relname from pg_class
		where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_get_userbyid(relowner) = current_user`)
	if err != nil {
		return err
	}
	tables, err := collect[string](rows)
	if err != nil {
		return err
	}
	_, err = b.owner.Exec(ctx, `/* bench.vacuum */ vacuum (analyze) `+strings.Join(tables, ", "))
	return err
}

// due counts the days and months of all data sets that are to be sealed and are not.
func (b *bench) due(ctx context.Context) (all int, err error) {
	for _, d := range slices.Clone(b.set.Sets) {
		if d.Plays <= reports.SealFrom {
			continue
		}
		_, due, err := b.sealed(ctx, &d)
		if err != nil {
			return 0, err
		}
		all += due
	}
	return all, nil
}
