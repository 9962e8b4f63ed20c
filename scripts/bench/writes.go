package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
)

const (
	writers       = 8
	writeDuration = 600 * time.Millisecond // time of writing in each round
)

const (
	insertSQL = `insert into plays (started_at, completed_at, player, release_number, score, passed,
			id, org_id, fork_id, answers)
		select t, t + interval '1 minute', p, 1, 7000, true, i, $4, $5, '\x0102030405'
		from unnest($1::timestamptz[], $2::int[], $3::uuid[]) x (t, p, i)`
	removeSQL = `delete from plays where fork_id = $1 and answers = '\x0102030405'`
)

// measureWrites measures inserts on one day of a fork, with and without the triggers on plays. Triggers of
// foreign keys stay. If a run is killed, its plays stay in data.Other, whose figures are not
// compared.
func measureWrites(ctx context.Context, b *bench) error {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	sealedDay := b.data.Now.AddDate(0, 0, -40).Truncate(24 * time.Hour)
	for _, c := range []struct {
		name     string
		day      time.Time
		rows     int // plays that one statement inserts
		maxRatio float64
	}{
		{"one by one today", today, 1, 1.33},
		{"one by one on a sealed day", sealedDay, 1, 1.33},
		{"by the thousand today", today, 1_000, 1.05},
		{"by the thousand on a sealed day", sealedDay, 1_000, 1.05},
	} {
		title := fmt.Sprintf("1,000 plays by %d writers, %s; no triggers", writers, c.name)
		err := b.compare(ctx, title, c.maxRatio, b.writeWork(c.rows, c.day, "enable always"),
			b.writeWork(c.rows, c.day, "disable"))
		if err != nil {
			return errors.Join(err, b.setTriggers(context.WithoutCancel(ctx), "enable always"))
		}
	}
	if err := b.setTriggers(ctx, "enable always"); err != nil {
		return err
	}
	if err := b.execute(ctx, removeSQL, b.data.Other.IDs.Fork); err != nil {
		return err
	}
	return b.execute(ctx, `vacuum (analyze) plays`)
}

// writeWork returns work in which all writers insert plays for writeDuration. Its result is the
// milliseconds for a thousand plays.
func (b *bench) writeWork(rows int, day time.Time, triggers string) work {
	return func(ctx context.Context) (float64, error) {
		if err := b.setTriggers(ctx, triggers); err != nil {
			return 0, err
		}
		var written atomic.Int64
		var tasks errgroup.Group
		began := time.Now()
		for range writers {
			tasks.Go(func() error {
				for time.Since(began) < writeDuration {
					if err := b.insert(ctx, rows, day); err != nil {
						return err
					}
					written.Add(int64(rows))
				}
				return nil
			})
		}
		err := tasks.Wait()
		return milliseconds(time.Since(began)) * 1000 / float64(written.Load()), err
	}
}

func (b *bench) insert(ctx context.Context, rows int, day time.Time) error {
	other := b.data.Other
	instants := make([]time.Time, rows)
	players := make([]int32, rows)
	ids := make([]uuid.UUID, rows)
	for i := range rows {
		instants[i] = day.Add(rand.N(24 * time.Hour))
		players[i] = 1 + rand.Int32N(int32(other.Size.Players))
		ids[i] = uuid.New()
	}
	return b.execute(ctx, insertSQL, instants, players, ids, other.IDs.Organisation,
		other.IDs.Fork)
}

// setTriggers changes the triggers on plays, except those of foreign keys. dg requires ENABLE ALWAYS,
// which has no form for all triggers of a table.
func (b *bench) setTriggers(ctx context.Context, verb string) error {
	return b.execute(ctx, `do $do$ declare name text; begin
		for name in select tgname from pg_trigger where tgrelid = 'plays'::regclass and not tgisinternal loop
			execute format('alter table plays `+verb+` trigger %I', name);
		end loop; end $do$`)
}
