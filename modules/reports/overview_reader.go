package reports

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"dg/modules/reports/segment"
	"dg/modules/reports/snapshot"
	"dg/platform/apperr"
)

const (
	// forkDaysSQL lists the organisation's forks with their sealed days. $1 organisation, $2 the first
	// day, $3 the day after the last.
	forkDaysSQL = `/* reports.forkDays */
select f.id::text, d.day, d.Sums from forks f
  left join ` + snapshot.SealedDays +
		` d on d.org_id = $1 and d.fork_id = f.id and d.day >= $2 and d.day < $3
 where f.org_id = $1 order by f.id, d.day`

	// playsOfForksSQL counts the plays of ranges by week, from the index of forks alone. $1 numbers of
	// forks, $2 the organisation's forks, $3 starts and $4 ends of the ranges, $5 the first day.
	playsOfForksSQL = `/* reports.playsOfForks */
select r.i, w.* from unnest($1::int[], $2::uuid[], $3::timestamptz[], $4::timestamptz[]) r (i, fork, lo, hi), lateral (
    select date_bin('7 days', p.started_at, $5), count(*) from plays p
     where p.fork_id = r.fork and p.started_at >= r.lo and p.started_at < r.hi group by 1) w`

	// playersOfForksSQL finds the players and completed plays of ranges, before and after an instant.
	// $1 organisation, $2 numbers of forks, $3 the forks, $4 starts and $5 ends, $6 the instant.
	playersOfForksSQL = `/* reports.playersOfForks */
select r.i, w.* from unnest($2::int[], $3::uuid[], $4::timestamptz[], $5::timestamptz[]) r (i, fork, lo, hi), lateral (
    select count(p.score) filter (where p.started_at < $6), count(p.score) filter (where p.started_at >= $6),
           coalesce(array_agg(distinct p.player) filter (where p.started_at < $6), '{}'),
           coalesce(array_agg(distinct p.player) filter (where p.started_at >= $6), '{}')
      from plays p where p.org_id = $1 and p.fork_id = r.fork and p.started_at >= r.lo and p.started_at < r.hi) w`

	// headsOfForksSQL reads the heads of some days, by fork. The fence sorts references to segments,
	// not segments. $1 organisation, $2 numbers of forks, $3 the forks, $4 days.
	headsOfForksSQL = `/* reports.headsOfForks */
select i, day, substr(segment, 1, head_bytes) from (
    select r.i, d.day, d.head_bytes, d.segment from unnest($2::int[], $3::uuid[], $4::date[]) r (i, fork, day)
      join fork_days d on d.org_id = $1 and d.fork_id = r.fork and d.day = r.day
     order by r.i offset 0) x`
)

// overviewReader reads an overview.
type overviewReader struct {
	snap *snapshot.Snapshot
	sums *overviewSums
}

func newOverviewReader(s *snapshot.Snapshot) *overviewReader {
	return &overviewReader{s, newOverviewSums(s.Query.Period)}
}

// read sums the sealed days of the organisation's forks and the plays of all other days. It counts
// the players if that costs at most maxCost.
func (r *overviewReader) read(ctx context.Context, maxCost int64) (Overview, error) {
	t := r.sums
	batch := &pgx.Batch{}
	r.queueForkDays(batch)
	if err := r.snap.Send(ctx, batch); err != nil {
		return Overview{}, err
	}
	batch = &pgx.Batch{}
	r.queuePlaysOfForks(batch)
	if err := r.snap.Send(ctx, batch); err != nil || t.cost > maxCost {
		return t.overview(false), err
	}
	batch = &pgx.Batch{}
	r.queuePlayersOfForks(batch)
	r.queueHeadsOfForks(batch)
	err := r.snap.Send(ctx, batch)
	t.advanceTo(len(t.forks))
	return t.overview(true), err
}

func (r *overviewReader) queueForkDays(batch *pgx.Batch) {
	t := r.sums
	q := r.snap.Query
	batch.Queue(forkDaysSQL, q.OrganisationID, q.Period.From, q.Period.End()).
		Query(func(rows pgx.Rows) error {
			var id string
			var date *time.Time
			var packed []byte
			return forEachRow(rows, []any{&id, &date, &packed}, func() {
				if n := len(t.forks); n == 0 || t.forks[n-1].id != id {
					t.forks = append(t.forks, forkSums{id: id})
				}
				if date != nil {
					r.addForkDay(&t.forks[len(t.forks)-1], *date, packed)
				}
			})
		})
}

// addForkDay adds the sums of a sealed day, unless it is damaged.
func (r *overviewReader) addForkDay(f *forkSums, date time.Time, packed []byte) {
	t := r.sums
	damage := Damage{ForkID: f.id, Period: Period{From: date, Days: 1}}
	if slices.Contains(r.snap.Damaged, damage) {
		return
	}
	sums, err := segment.UnpackSums(date.UnixMilli(), packed)
	if err != nil {
		r.snap.Damaged = append(r.snap.Damaged, damage)
		return
	}
	f.sealed = append(f.sealed, snapshot.SealedDay{Date: date})
	w := t.weekOf(date)
	t.addPlays(f, w, sums.Plays, 1)
	if h := comparisonIndex(w); h >= 0 {
		t.completed[h] += sums.Completed
	}
}

func (r *overviewReader) queuePlaysOfForks(batch *pgx.Batch) {
	t := r.sums
	numbers, forks, from, to := t.ranges(t.period)
	batch.Queue(playsOfForksSQL, numbers, forks, from, to, t.period.From).
		Query(func(rows pgx.Rows) error {
			var i int
			var first time.Time
			var plays int64
			return forEachRow(rows, []any{&i, &first, &plays}, func() {
				t.addPlays(&t.forks[i], t.weekOf(first), plays, unsealedCost)
			})
		})
}

func (r *overviewReader) queuePlayersOfForks(batch *pgx.Batch) {
	t := r.sums
	compared := t.compared()
	numbers, forks, from, to := t.ranges(compared)
	middle := compared.From.Add(comparedWeeks * week)
	batch.Queue(playersOfForksSQL, r.snap.Query.OrganisationID, numbers, forks, from, to, middle).
		Query(func(rows pgx.Rows) error {
			var i int
			var completed [2]int64
			var players [2][]int32
			return forEachRow(rows,
				[]any{&i, &completed[0], &completed[1], &players[0], &players[1]},
				func() {
					for h := range players {
						t.completed[h] += completed[h]
						t.players[h].addAll(players[h])
					}
					t.forks[i].unsealed = append(t.forks[i].unsealed, players[1]...)
				})
		})
}

func (r *overviewReader) queueHeadsOfForks(batch *pgx.Batch) {
	t := r.sums
	var numbers []int32
	var forks []string
	var days []time.Time
	compared := t.compared()
	for i := range t.forks {
		for _, d := range t.forks[i].sealed {
			if !d.Date.Before(compared.From) {
				numbers = append(numbers, int32(i))
				forks = append(forks, t.forks[i].id)
				days = append(days, d.Date)
			}
		}
	}
	if len(days) == 0 {
		return
	}
	batch.Queue(headsOfForksSQL, r.snap.Query.OrganisationID, numbers, forks, days).
		Query(func(rows pgx.Rows) error {
			var i int
			var date time.Time
			var head pgtype.DriverBytes
			return forEachRow(rows, []any{&i, &date, &head}, func() { r.addHead(i, date, head) })
		})
}

// addHead adds the players of a sealed day of the i-th fork.
func (r *overviewReader) addHead(i int, date time.Time, head []byte) {
	t := r.sums
	t.advanceTo(i)
	h := comparisonIndex(t.weekOf(date))
	err := segment.UnpackDay(date.UnixMilli(), head, nil, nil, func(p *segment.Play) {
		if t.players[h].add(p.Player); h == 1 {
			t.ofFork.add(p.Player)
		}
	})
	if err != nil {
		r.snap.Damaged = append(r.snap.Damaged,
			Damage{ForkID: t.forks[i].id, Period: Period{From: date, Days: 1}})
	}
}

// forEachRow scans each row and calls f. The next row overwrites what is scanned.
func forEachRow(rows pgx.Rows, into []any, f func()) error {
	_, err := pgx.ForEachRow(rows, into, func() error {
		f()
		return nil
	})
	return apperr.Annotate(err, "reports: overview")
}
