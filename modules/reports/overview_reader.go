package reports

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

const (
	// forkDaysSQL lists the organisation's forks with their sealed days.
	forkDaysSQL = `/* reports.forkDays */
select f.id::text, d.day, d.sums from forks f
  left join ` + segment.SealedDays + ` d on d.org_id = @org and d.fork_id = f.id and d.day >= @from
   and d.day < @to and @segments
 where f.org_id = @org order by f.id, d.day`

	// playsOfForksSQL counts the plays of ranges by week, from the index of forks alone.
	playsOfForksSQL = `/* reports.playsOfForks */
select r.i, w.* from ` + ranges + `, lateral (
    select date_bin('7 days', p.started_at, @from), count(*) from plays p
     where p.fork_id = r.fork and p.started_at >= r.lo and p.started_at < r.hi group by 1) w`

	// playersOfForksSQL finds the players and completed plays of ranges, before and after an instant.
	playersOfForksSQL = `/* reports.playersOfForks */
select r.i, w.* from ` + ranges + `, lateral (
    select count(p.score) filter (where p.started_at < @middle),
           count(p.score) filter (where p.started_at >= @middle),
           coalesce(array_agg(distinct p.player) filter (where p.started_at < @middle), '{}'),
           coalesce(array_agg(distinct p.player) filter (where p.started_at >= @middle), '{}')
      from plays p
     where p.org_id = @org and p.fork_id = r.fork and p.started_at >= r.lo and p.started_at < r.hi) w`

	// ranges are the ranges in which forks are not sealed.
	ranges = `unnest(@numbers::int[], @forks::uuid[], @starts::timestamptz[], @ends::timestamptz[])
  r (i, fork, lo, hi)`

	// headsOfForksSQL reads the heads of some days, by fork. The fence sorts references to segments,
	// not segments.
	headsOfForksSQL = `/* reports.headsOfForks */
select i, day, substr(segment, 1, head_bytes) from (
    select r.i, d.day, d.head_bytes, d.segment
      from unnest(@numbers::int[], @forks::uuid[], @days::date[]) r (i, fork, day)
      join fork_days d on d.org_id = @org and d.fork_id = r.fork and d.day = r.day
     order by r.i offset 0) x`
)

// overview reads an overview. It counts the players if that costs at most maxCost. Errors:
// segment.ErrDamaged.
func (s *snapshot) overview(ctx context.Context, maxCost int64) (Overview, error) {
	r := &overviewReader{snapshot: s, compared: comparedPeriod(s.query.Period)}
	if err := r.readForkDays(ctx); err != nil {
		return Overview{}, err
	}
	if err := r.readPlays(ctx); err != nil {
		return Overview{}, err
	}
	counted := r.cost <= maxCost
	if counted {
		if err := r.readPlayers(ctx); err != nil {
			return Overview{}, err
		}
		if err := r.readHeads(ctx); err != nil {
			return Overview{}, err
		}
	}
	if len(s.damaged) > 0 {
		return Overview{}, segment.ErrDamaged
	}
	return r.result(counted), nil
}

// overviewReader sums the plays of an overview: those of sealed days from their segments.
type overviewReader struct {
	*snapshot
	compared  Period // the last eight weeks
	forks     []forkSums
	cost      int64       // of counting the players
	completed [2]int64    // of the four weeks before and of the last four
	players   [2]distinct // of both
}

// forkSums sums a fork.
type forkSums struct {
	id string
	ForkOverview
	sealed  []segment.SealedDay // ascending
	players []int32             // of the last four weeks; some more than once
}

// comparedPeriod returns the last eight weeks.
func comparedPeriod(p Period) Period {
	days := 2 * comparedWeeks * int(week/day)
	return Period{From: p.End().AddDate(0, 0, -days), Days: days}
}

// weekOf returns the week of a day of the period.
func (r *overviewReader) weekOf(day time.Time) int {
	return int(day.Sub(r.query.Period.From) / week)
}

// comparisonIndex returns 1 for the last four weeks, 0 for the four before, and -1 for the others.
func comparisonIndex(week int) int { return max(-1, week/comparedWeeks-1) }

// addPlays counts plays of a fork. cost is that of finding the player of one.
func (r *overviewReader) addPlays(f *forkSums, week int, plays, cost int64) {
	if f.Weeks[week] += plays; comparisonIndex(week) >= 0 {
		r.cost += plays * cost
	}
}

func (r *overviewReader) readForkDays(ctx context.Context) error {
	r.args["segments"] = r.segments
	rows, _ := r.conn.Query(ctx, forkDaysSQL, r.args) // its error is the rows'
	var id string
	var date *time.Time
	var packed []byte
	_, err := pgx.ForEachRow(rows, []any{&id, &date, &packed}, func() error {
		if n := len(r.forks); n == 0 || r.forks[n-1].id != id {
			r.forks = append(r.forks, forkSums{id: id})
		}
		if date != nil {
			r.addForkDay(&r.forks[len(r.forks)-1], *date, packed)
		}
		return nil
	})
	return apperr.Annotate(err, "reports: days of forks")
}

func (r *overviewReader) addForkDay(f *forkSums, date time.Time, packed []byte) {
	sums, err := segment.UnpackSums(date.UnixMilli(), packed)
	if err != nil {
		r.damaged = append(r.damaged, segment.Damage{ForkID: f.id, First: date})
		return
	}
	f.sealed = append(f.sealed, segment.SealedDay{Date: date})
	w := r.weekOf(date)
	r.addPlays(f, w, sums.Plays, 1)
	if h := comparisonIndex(w); h >= 0 {
		r.completed[h] += sums.Completed
	}
}

// setRanges sets the arguments of ranges to those of a period.
func (r *overviewReader) setRanges(p Period) {
	var numbers []int
	var forks []string
	var starts, ends []time.Time
	for i, f := range r.forks {
		from, to := segment.Gaps(f.since(p.From), p.From, p.End())
		for range from {
			numbers = append(numbers, i)
			forks = append(forks, f.id)
		}
		starts = append(starts, from...)
		ends = append(ends, to...)
	}
	r.args["numbers"] = numbers
	r.args["forks"] = forks
	r.args["starts"] = starts
	r.args["ends"] = ends
}

// since returns the sealed days from an instant on.
func (f *forkSums) since(from time.Time) []segment.SealedDay {
	for i, d := range f.sealed {
		if !d.Date.Before(from) {
			return f.sealed[i:]
		}
	}
	return nil
}

func (r *overviewReader) readPlays(ctx context.Context) error {
	r.setRanges(r.query.Period)
	rows, _ := r.conn.Query(ctx, playsOfForksSQL, r.args) // its error is the rows'
	var i int
	var first time.Time
	var plays int64
	_, err := pgx.ForEachRow(rows, []any{&i, &first, &plays}, func() error {
		r.addPlays(&r.forks[i], r.weekOf(first), plays, unsealedCost)
		return nil
	})
	return apperr.Annotate(err, "reports: plays of forks")
}

func (r *overviewReader) readPlayers(ctx context.Context) error {
	r.setRanges(r.compared)
	r.args["middle"] = r.compared.From.Add(comparedWeeks * week)
	rows, _ := r.conn.Query(ctx, playersOfForksSQL, r.args) // its error is the rows'
	var i int
	var completed [2]int64
	var players [2][]int32
	into := []any{&i, &completed[0], &completed[1], &players[0], &players[1]}
	_, err := pgx.ForEachRow(rows, into, func() error {
		for h := range players {
			r.completed[h] += completed[h]
			for _, player := range players[h] {
				r.players[h].add(player)
			}
		}
		r.forks[i].players = append(r.forks[i].players, players[1]...)
		return nil
	})
	return apperr.Annotate(err, "reports: players of forks")
}

// readHeads adds the players of sealed days, fork by fork.
func (r *overviewReader) readHeads(ctx context.Context) error {
	var numbers []int
	var forks []string
	var days []time.Time
	for i, f := range r.forks {
		for _, d := range f.since(r.compared.From) {
			numbers = append(numbers, i)
			forks = append(forks, f.id)
			days = append(days, d.Date)
		}
	}
	r.args["numbers"] = numbers
	r.args["forks"] = forks
	r.args["days"] = days
	rows, _ := r.conn.Query(ctx, headsOfForksSQL, r.args) // its error is the rows'
	var i int
	var date time.Time
	var head pgtype.DriverBytes
	_, err := pgx.ForEachRow(rows, []any{&i, &date, &head}, func() error {
		r.addHead(&r.forks[i], date, head)
		return nil
	})
	return apperr.Annotate(err, "reports: heads of forks")
}

// addHead adds the players of a sealed day.
func (r *overviewReader) addHead(f *forkSums, date time.Time, head []byte) {
	h := comparisonIndex(r.weekOf(date))
	last := int32(0) // plays are ordered by player
	err := segment.UnpackDay(date.UnixMilli(), head, nil, nil, func(p *segment.Play) {
		if p.Player == last {
			return
		}
		last = p.Player
		if r.players[h].add(last); h == 1 {
			f.players = append(f.players, last)
		}
	})
	if err != nil {
		r.damaged = append(r.damaged, segment.Damage{ForkID: f.id, First: date})
	}
}

// result rounds the sums.
func (r *overviewReader) result(counted bool) Overview {
	o := Overview{Forks: make(map[string]*ForkOverview, len(r.forks)), Counted: counted}
	var ofFork distinct
	for i := range r.forks {
		f := &r.forks[i]
		o.Forks[f.id] = &f.ForkOverview
		f.Players = ofFork.count(f.players)
		o.Now.Plays += f.Plays()
		o.Before.Plays += sum(f.Weeks[OverviewWeeks-2*comparedWeeks : OverviewWeeks-comparedWeeks])
	}
	for h, total := range []*OverviewTotals{&o.Before, &o.Now} {
		if counted {
			total.Players = r.players[h].n
			total.Completed = r.completed[h]
			total.CompletionRate = rate(total.Completed, total.Plays)
		}
	}
	return o
}

// distinct counts distinct players. Ordinals are small and dense: seen has the last round of each.
type distinct struct {
	seen  []int32
	round int32
	n     int64
}

func (d *distinct) add(player int32) {
	if n := int(player) + 1; n > len(d.seen) {
		d.seen = append(d.seen, make([]int32, n-len(d.seen))...)
	}
	if d.seen[player] != d.round+1 {
		d.seen[player] = d.round + 1
		d.n++
	}
}

// count begins another round, and counts some players.
func (d *distinct) count(players []int32) int64 {
	d.round++
	d.n = 0
	for _, player := range players {
		d.add(player)
	}
	return d.n
}
