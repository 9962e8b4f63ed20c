package reports

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/org"
	"dg/modules/reports/segment"
	"dg/modules/reports/snapshot"
)

// statisticsReader reads the segments, other plays and labels of statistics.
type statisticsReader struct {
	snap    *snapshot.Snapshot
	members *snapshot.Members
	sealed  snapshot.SealedReader
	plays   snapshot.PlaysReader
	labels  labelReader
}

func newStatisticsReader(s *snapshot.Snapshot) *statisticsReader {
	m := snapshot.NewMembers(s)
	return &statisticsReader{
		snap:    s,
		members: m,
		sealed:  snapshot.NewSealedReader(s),
		plays:   snapshot.NewPlaysReader(s, m),
		labels:  labelReader{s},
	}
}

// read sums the rows of the snapshot as they arrive, and rounds the sums.
func (r *statisticsReader) read(ctx context.Context) (Statistics, error) {
	meta := r.snap.Meta
	if meta.Suppressed() {
		return Statistics{ReportingMode: meta.Mode, Suppressed: true}, nil
	}
	a := newAccumulator(r.snap.Query.Period)
	batch := &pgx.Batch{}
	r.queue(batch, a)
	l, err := r.send(ctx, batch, a)
	if err != nil {
		return Statistics{}, err
	}
	stats := r.round(a, l)
	if r.snap.Query.Overlaps > 0 && meta.Mode == org.Pseudonymous {
		stats.Overlaps = r.overlaps(ctx, &a.Players)
	}
	return stats, nil
}

func newAccumulator(p Period) *segment.Accumulator { return segment.NewAccumulator(p.From, p.Days) }

// queue queues what the report sums.
func (r *statisticsReader) queue(batch *pgx.Batch, a *segment.Accumulator) {
	switch {
	case r.snap.Meta.SmallGroup():
		r.plays.Queue(batch, []time.Time{r.snap.Query.Period.From},
			[]time.Time{r.snap.Query.Period.End()}, a.Add)
	case r.snap.Meta.Grouped:
		r.queueGroup(batch, a)
	default:
		r.queueAll(batch, a)
	}
}

// queueAll adds the sums of the sealed days. It queues sealed months and heads of other sealed days
// for the players, and the plays of all other days.
func (r *statisticsReader) queueAll(batch *pgx.Batch, a *segment.Accumulator) {
	for _, month := range r.snap.Meta.Sealed.Months {
		a.ExpectMonth(month)
	}
	var heads []time.Time
	r.sealed.EachDay(func(date time.Time, sums *segment.Sums) {
		if !a.AddDay(date, sums) {
			heads = append(heads, date)
		}
	})
	r.sealed.QueueMonths(batch, r.snap.Meta.Sealed.Months, &a.Players)
	r.sealed.QueueHeads(batch, heads, a.AddPlayer)
	from, to := r.snap.Meta.Sealed.Gaps(r.snap.Query.Period)
	r.plays.Queue(batch, from, to, a.Add)
}

// queueGroup queues the members' plays of sealed months, of other sealed days, and of all other days.
func (r *statisticsReader) queueGroup(batch *pgx.Batch, a *segment.Accumulator) {
	r.members.Queue(batch)
	for _, month := range r.snap.Meta.Sealed.Months {
		a.ExpectMonth(month)
	}
	var days []time.Time
	for _, d := range r.snap.Meta.Sealed.Days {
		if !a.Expects(d.Date) {
			days = append(days, d.Date)
		}
	}
	r.sealed.QueueMembersOfMonths(batch, r.snap.Meta.Sealed.Months, r.members.Has, a)
	r.sealed.QueueDays(batch, days, r.members.Has, a.Add)
	from, to := r.snap.Meta.Sealed.WithMonths().Gaps(r.snap.Query.Period)
	r.plays.Queue(batch, from, to, a.Add)
}

// send runs the batch and reads the labels of the players, in the same batch if most will be needed.
// Totals have none.
func (r *statisticsReader) send(
	ctx context.Context, batch *pgx.Batch, a *segment.Accumulator,
) (*labels, error) {
	switch {
	case r.snap.Query.TotalsOnly:
		return nil, r.snap.Send(ctx, batch)
	case r.labelsInBatch(a) && r.snap.Query.Overlaps == 0:
		l := r.labels.queue(batch)
		return l, r.snap.SendLast(ctx, batch)
	}
	if err := r.snap.Send(ctx, batch); err != nil {
		return nil, err
	}
	return r.labels.of(ctx, a.Players.Ordinals())
}

// labelsInBatch reports whether most labels will be needed: for a small group, a large group of a
// small organisation, and if the sealed days have more plays than the organisation has players.
func (r *statisticsReader) labelsInBatch(a *segment.Accumulator) bool {
	return r.snap.Meta.SmallGroup() ||
		r.snap.Meta.Grouped && r.snap.Meta.LastOrdinal <= LargeReport ||
		a.Total.Plays > int64(r.snap.Meta.LastOrdinal)
}

// round rounds the sums. Without labels it returns the totals only.
func (r *statisticsReader) round(a *segment.Accumulator, l *labels) (stats Statistics) {
	if l == nil {
		stats = newTotals(a, r.snap.Query.Period)
	} else {
		stats = newStatistics(a, r.snap.Query.Period, l.of)
	}
	stats.ReportingMode = r.snap.Meta.Mode
	return stats
}
