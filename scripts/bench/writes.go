package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// How plays are written: by so many writers at once, all on one day of one fork, for so long in each round.
const (
	writers   = 8
	batchRows = 1_000
	writeFor  = 600 * time.Millisecond
	writeTime = 15 * time.Second
	lateDays  = 40 // before the end of the plays: a day that has a segment
	// writeMark is the release number by which the plays of this section are found again.
	writeMark = 2_000_000_000
)

const (
	insertSQL = `/* bench.insert */ insert into plays (started_at, completed_at, player, release_number, score, passed, id, org_id, fork_id, answers)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
	insertBatchSQL = `/* bench.insertBatch */ insert into plays (started_at, completed_at, player, release_number, score, passed, id, org_id, fork_id, answers)
		select t, t + interval '1 minute', p, $4, 7000, true, i, $5, $6, '\x0102030405' from unnest($1::timestamptz[], $2::int[], $3::uuid[]) x (t, p, i)`
)

// writes measures inserts with the triggers on plays and without them; foreign keys stay.
func (b *bench) writes(ctx context.Context) (err error) {
	b.set.Writing = true
	if err := b.set.save(); err != nil {
		return err
	}
	defer func() {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
		defer stop()
		if undone := b.undoWrites(ctx); err == nil {
			err = undone
		}
	}()
	today, sealed := time.Now().UTC().Truncate(24*time.Hour), b.sealedDay()
	got, err := alternate(ctx, writeTime,
		b.writing(true, today, b.insertOne), b.writing(true, sealed, b.insertOne), b.writing(false, today, b.insertOne),
		b.writing(true, today, b.insertBatch), b.writing(true, sealed, b.insertBatch), b.writing(false, today, b.insertBatch))
	if err != nil {
		return err
	}
	for i, day := range []string{"today", "a sealed day"} {
		b.ofRate(fmt.Sprintf("plays, %d writers on %s; limit: no triggers", writers, day), got[i], got[2], 0.75)
	}
	for i, day := range []string{"today", "a sealed day"} {
		b.ofRate(fmt.Sprintf("plays by the thousand, %d writers on %s; limit: no triggers", writers, day), got[3+i], got[5], 0.95)
	}
	return nil
}

// inserting writes one statement's plays on a day, and returns how many they are.
type inserting func(ctx context.Context, conn *pgxpool.Conn, day time.Time) (int, error)

// writing is a contestant: the plays that all writers insert in a second.
func (b *bench) writing(triggers bool, day time.Time, insert inserting) contestant {
	return contestant{1, func(ctx context.Context) (float64, error) {
		if err := setTriggers(ctx, b.owner, triggers); err != nil {
			return 0, err
		}
		var all sync.WaitGroup
		counts, errs := make([]int, writers), make([]error, writers)
		began := time.Now()
		for w := range writers {
			all.Go(func() {
				errs[w] = b.owner.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
					for time.Since(began) < writeFor {
						n, err := insert(ctx, conn, day)
						if err != nil {
							return err
						}
						counts[w] += n
					}
					return nil
				})
			})
		}
		all.Wait()
		took, total := time.Since(began), 0
		for w := range writers {
			if errs[w] != nil {
				return 0, errs[w]
			}
			total += counts[w]
		}
		return float64(total) / took.Seconds(), nil
	}}
}

func (b *bench) sealedDay() time.Time {
	return b.set.Now.AddDate(0, 0, -lateDays).Truncate(24 * time.Hour)
}

// instantOf draws an instant of a day.
func instantOf(day time.Time) time.Time {
	return day.Add(time.Duration(rand.Int64N(dayMillis)) * time.Millisecond)
}

func (b *bench) insertOne(ctx context.Context, conn *pgxpool.Conn, day time.Time) (int, error) {
	at := instantOf(day)
	_, err := conn.Exec(ctx, insertSQL, at, at.Add(time.Minute), 1+rand.IntN(b.main.Players), writeMark, 7000, true, uuid.New(),
		b.main.IDs.Organisation, b.main.IDs.Forks[0], []byte{1, 2, 3, 4, 5})
	return 1, err
}

func (b *bench) insertBatch(ctx context.Context, conn *pgxpool.Conn, day time.Time) (int, error) {
	instants, players, ids := make([]time.Time, batchRows), make([]int32, batchRows), make([]uuid.UUID, batchRows)
	for i := range batchRows {
		instants[i], players[i], ids[i] = instantOf(day), 1+rand.Int32N(int32(b.main.Players)), uuid.New()
	}
	_, err := conn.Exec(ctx, insertBatchSQL, instants, players, ids, writeMark, b.main.IDs.Organisation, b.main.IDs.Forks[0])
	return batchRows, err
}

// setTriggers enables or disables the triggers on plays that are not those of foreign keys. They are all ENABLE ALWAYS.
func setTriggers(ctx context.Context, s session, on bool) error {
	rows, err := s.Query(ctx, `/* bench.triggers */ select tgname::text from pg_trigger
		where tgrelid = 'plays'::regclass and not tgisinternal and (tgenabled = 'D') = $1`, on)
	if err != nil {
		return err
	}
	names, err := collect[string](rows)
	if err != nil || len(names) == 0 {
		return err
	}
	verb := "disable trigger "
	if on {
		verb = "enable always trigger "
	}
	for i, name := range names {
		names[i] = verb + pgx.Identifier{name}.Sanitize()
	}
	_, err = s.Exec(ctx, `/* bench.triggers */ alter table plays `+strings.Join(names, ", "))
	return err
}

// undoWrites leaves the data set as it was: triggers on first, so that the removal marks the day.
func (b *bench) undoWrites(ctx context.Context) error {
	if err := setTriggers(ctx, b.owner, true); err != nil {
		return err
	}
	if len(b.set.Sets) > 0 {
		if _, err := b.owner.Exec(ctx, `/* bench.undo */ delete from plays where fork_id = $1 and started_at >= $2 and release_number = $3`,
			b.set.Sets[0].IDs.Forks[0], b.sealedDay(), writeMark); err != nil {
			return err
		}
		if _, err := b.owner.Exec(ctx, `/* bench.undo */ vacuum (analyze) plays`); err != nil {
			return err
		}
	}
	b.set.Writing = false
	return b.set.save()
}
