package reports

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
)

// statisticsReader reads what statistics sum: segments, the plays of all other days, and the labels
// of players.
type statisticsReader struct {
	snap    *snapshot
	members *members
	sealed  sealedReader
	plays   playsReader
	labels  labelReader
}

func newStatisticsReader(s *snapshot, budget *labelBudget) *statisticsReader {
	m := newMembers(s)
	return &statisticsReader{
		snap:    s,
		members: m,
		sealed:  sealedReader{s},
		plays:   playsReader{s, m},
		labels:  labelReader{s, budget},
	}
}

// read reads the snapshot, sums the rows as they come, and rounds the sums.
func (r *statisticsReader) read(ctx context.Context) (Statistics, error) {
	meta := r.snap.meta
	if meta.suppressed() {
		return Statistics{ReportingMode: meta.mode, Suppressed: true}, nil
	}
	a := newAccumulator(r.snap.query.Period)
	batch := &pgx.Batch{}
	r.queue(batch, a)
	l, err := r.send(ctx, batch, a)
	if err != nil {
		return Statistics{}, err
	}
	return r.round(a, l), nil
}

func newAccumulator(p Period) *segment.Accumulator { return segment.NewAccumulator(p.From, p.Days) }

// queue asks for what the report sums.
func (r *statisticsReader) queue(batch *pgx.Batch, a *segment.Accumulator) {
	switch {
	case r.snap.meta.smallGroup():
		r.plays.queue(batch, []time.Time{r.snap.query.Period.From},
			[]time.Time{r.snap.query.Period.End()}, a.Add)
	case r.snap.meta.grouped:
		r.queueGroup(batch, a)
	default:
		r.queueAll(batch, a)
	}
}

// queueAll asks for what the report on all players sums. It adds the sums of the sealed days at
// once; the players come from the sealed months, those of other days from the heads of sealed days,
// and everything else from the plays.
func (r *statisticsReader) queueAll(batch *pgx.Batch, a *segment.Accumulator) {
	for _, month := range r.snap.meta.sealed.months {
		a.ExpectMonth(month)
	}
	var heads []time.Time
	r.sealed.eachDay(func(date time.Time, sums *segment.Sums) {
		if !a.AddDay(date, sums) {
			heads = append(heads, date)
		}
	})
	r.sealed.queueMonths(batch, r.snap.meta.sealed.months, &a.Players)
	r.sealed.queueHeads(batch, heads, a.AddPlayer)
	from, to := r.snap.meta.sealed.gaps(r.snap.query.Period)
	r.plays.queue(batch, from, to, a.Add)
}

// queueGroup asks for what the report on a large group sums: the members' plays of the sealed
// months, of the other sealed days, and of all others.
func (r *statisticsReader) queueGroup(batch *pgx.Batch, a *segment.Accumulator) {
	r.members.queue(batch)
	for _, month := range r.snap.meta.sealed.months {
		a.ExpectMonth(month)
	}
	var days []time.Time
	for _, d := range r.snap.meta.sealed.days {
		if !a.Expects(d.date) {
			days = append(days, d.date)
		}
	}
	r.sealed.queueMembersOfMonths(batch, r.snap.meta.sealed.months, r.members.has, a)
	r.sealed.queueDays(batch, days, r.members.has, a.Add)
	from, to := r.snap.meta.sealed.withMonths().gaps(r.snap.query.Period)
	r.plays.queue(batch, from, to, a.Add)
}

// send runs the batch and reads the labels of the players, in the batch where that reads few in
// vain. Totals have none.
func (r *statisticsReader) send(
	ctx context.Context, batch *pgx.Batch, a *segment.Accumulator,
) (*labels, error) {
	switch {
	case r.snap.query.TotalsOnly:
		return nil, r.snap.send(ctx, batch)
	case r.labelsInBatch(a):
		l := r.labels.queue(batch)
		return l, r.snap.sendLast(ctx, batch)
	}
	if err := r.snap.send(ctx, batch); err != nil {
		return nil, err
	}
	return r.labels.of(ctx, a.Players.Ordinals())
}

// labelsInBatch reports whether it is known in advance whose labels are needed: of a small group
// all; of a large one in a small organisation, and where the sealed days have more plays than the
// organisation has players, most.
func (r *statisticsReader) labelsInBatch(a *segment.Accumulator) bool {
	return r.snap.meta.smallGroup() ||
		r.snap.meta.grouped && r.snap.meta.lastOrdinal <= LargeReport ||
		a.Total.Plays > int64(r.snap.meta.lastOrdinal)
}

// round rounds the sums. Without labels they are totals.
func (r *statisticsReader) round(a *segment.Accumulator, l *labels) (stats Statistics) {
	if l == nil {
		stats = newTotals(a)
	} else {
		stats = newStatistics(a, r.snap.query.Period, l.of)
		stats.Bytes = r.snap.meta.heldBytes(stats.UniquePlayers, l)
	}
	stats.ReportingMode = r.snap.meta.mode
	return stats
}
