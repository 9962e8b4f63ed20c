package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	writers   = 8
	batchRows = 1_000
	writeFor  = 600 * time.Millisecond // in each round
)

const (
	insertSQL = `/* bench.insert */ insert into plays (started_at, completed_at, player,
		release_number, score, passed, id, org_id, fork_id, answers)
		select t, t + interval '1 minute', p, 1, 7000, true, i, $4, $5, '\x0102030405'
		  from unnest($1::timestamptz[], $2::int[], $3::uuid[]) x (t, p, i)`
	removeSQL = `delete from plays where fork_id = $1 and answers = '\x0102030405'`
)

// writes measures inserts on one fork-day with the triggers on plays and without them; foreign keys
// stay. A separate fork keeps a killed run's plays out of the others.
func writes(ctx context.Context, b *bench) error {
	set, err := b.dataset(ctx, dataset{Name: "writes", Plays: minPlays, Players: 10_000, Forks: 1})
	if err != nil {
		return err
	}
	today := b.report.began.UTC().Truncate(24 * time.Hour)
	sealed := b.data.Now.AddDate(0, 0, -40).Truncate(24 * time.Hour)
	got, err := alternate(ctx, 15*time.Second,
		b.writing(set, 1, today, true), b.writing(set, 1, sealed, true),
		b.writing(set, 1, today, false),
		b.writing(set, batchRows, today, true), b.writing(set, batchRows, sealed, true),
		b.writing(set, batchRows, today, false))
	if err != nil {
		return err
	}
	for i, day := range []string{"today", "a sealed day"} {
		b.report.atLeast(fmt.Sprintf("plays, %d writers on %s; limit: no triggers", writers, day),
			got[i], got[2], 0.75)
		b.report.atLeast(
			fmt.Sprintf("plays by the thousand, %d writers on %s; limit: no triggers", writers,
				day),
			got[3+i], got[5], 0.95,
		)
	}
	if err := setTriggers(ctx, b.owner, true); err != nil {
		return err
	}
	if err := b.execute(ctx, removeSQL, set.IDs.Forks[0]); err != nil {
		return err
	}
	return b.settle(ctx)
}

// writing is a contestant: the plays that all writers insert in a second, so many with each
// statement.
func (b *bench) writing(set *dataset, rows int, day time.Time, triggers bool) contestant {
	return contestant{1, func(ctx context.Context) (float64, error) {
		if err := setTriggers(ctx, b.owner, triggers); err != nil {
			return 0, err
		}
		var written atomic.Int64
		began := time.Now()
		err := atOnce(writers, func(int) error {
			return b.owner.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
				for time.Since(began) < writeFor {
					if err := insertPlays(ctx, conn.Conn(), set, rows, day); err != nil {
						return err
					}
					written.Add(int64(rows))
				}
				return nil
			})
		})
		return float64(written.Load()) / time.Since(began).Seconds(), err
	}}
}

func insertPlays(ctx context.Context, conn *pgx.Conn, set *dataset, rows int, day time.Time) error {
	instants := make([]time.Time, rows)
	players := make([]int32, rows)
	ids := make([]uuid.UUID, rows)
	for i := range rows {
		instants[i] = day.Add(rand.N(24 * time.Hour))
		players[i] = 1 + rand.Int32N(int32(set.Players))
		ids[i] = uuid.New()
	}
	_, err := conn.Exec(ctx, insertSQL, instants, players, ids, set.IDs.Organisation,
		set.IDs.Forks[0])
	return err
}

// setTriggers enables or disables the triggers on plays that are not those of foreign keys.
func setTriggers(ctx context.Context, s *pgxpool.Pool, on bool) error {
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
	_, err = s.Exec(ctx,
		`/* bench.triggers */ alter table plays `+verb+strings.Join(names, ", "+verb))
	return err
}
