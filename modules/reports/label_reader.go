package reports

import (
	"context"
	"encoding/binary"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/snapshot"
	"dg/platform/apperr"
)

// A player's label is the display name under nominative reporting, otherwise the pseudonym. $1
// organisation, $2 reporting mode, $3 which players: ordinals, or a small group.
const (
	labelSQL        = `/* reports.labels */ select ordinal, ` + shownLabel
	playerSQL       = `/* reports.players */ select ordinal, ` + shownLabel + `, label`
	shownLabel      = `case $2 when 'nominative' then display_name else label end`
	ofPlayers       = ` from players where org_id = $1`
	labelOfOrdinals = labelSQL + ofPlayers + ` and ordinal = any($3)`
	// The fences force a lookup for each member. A join took more than 30 s after an import.
	ofMemberPlayers = ` from (select player from group_members where org_id = $1 and group_id = $3` +
		snapshot.ByPlayer + `) m,
		lateral (select * from players where org_id = $1 and ordinal = m.player offset 0) players`
)

// labelReader reads the labels of a report's players.
type labelReader struct{ snap *snapshot.Snapshot }

// of returns the labels of some players. For more than an eighth of the organisation's players it
// scans all labels, which is faster than lookups.
func (r labelReader) of(ctx context.Context, ordinals []int32) (*labels, error) {
	if len(ordinals) == 0 {
		return &labels{}, nil
	}
	batch := &pgx.Batch{}
	if last := ordinals[len(ordinals)-1]; len(ordinals) > 1000 && int(last) < 8*len(ordinals) {
		l := r.queue(batch)
		return l, r.snap.Send(ctx, batch)
	}
	l := &labels{}
	batch.Queue(labelOfOrdinals, r.snap.Query.OrganisationID, r.snap.Meta.Mode, ordinals).
		Query(l.read(labelText))
	return l, r.snap.Send(ctx, batch)
}

// queue queues the labels of a small group's members, or of all players.
func (r labelReader) queue(batch *pgx.Batch) *labels {
	l := &labels{}
	r.queuePlayers(batch, labelSQL).Query(l.read(labelText))
	return l
}

// queuePlayers queues a statement on the members of a small group, or on all players.
func (r labelReader) queuePlayers(batch *pgx.Batch, sql string) *pgx.QueuedQuery {
	args := []any{r.snap.Query.OrganisationID, r.snap.Meta.Mode}
	if r.snap.Meta.SmallGroup() {
		return batch.Queue(sql+ofMemberPlayers, append(args, r.snap.Query.GroupID)...)
	}
	return batch.Queue(sql+ofPlayers, args...)
}

// read stores a label for each row: text returns it, and the first column is the ordinal in pgx's
// binary format.
func (l *labels) read(text func(v [][]byte) []byte) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		defer rows.Close()
		for rows.Next() {
			v := rows.RawValues()
			if err := l.put(int32(binary.BigEndian.Uint32(v[0])), text(v)); err != nil {
				return err
			}
		}
		return apperr.Annotate(rows.Err(), "reports: labels")
	}
}

func labelText(v [][]byte) []byte { return v[1] }
