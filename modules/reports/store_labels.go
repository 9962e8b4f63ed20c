package reports

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// A player's label is the display name under nominative reporting, otherwise the pseudonym (decisions, "Figures").
// $1 organisation, $2 the reporting mode, $3 which players: ordinals, or a group.
const (
	labelSQL        = `/* reports.labels */ select ordinal, case $2 when 'nominative' then display_name else label end from players where org_id = $1`
	labelOfOrdinals = labelSQL + ` and ordinal = any($3)`
	labelOfGroup    = labelSQL + ` and ordinal in (select player from group_members where org_id = $1 and group_id = $3)`
)

// labels are the labels of players by ordinal, one after the other in one text: 100,000 of them are two allocations.
type labels struct {
	text []byte
	at   []labelAt
}

type labelAt struct{ begin, end uint32 }

func (l *labels) put(ordinal int32, label []byte) {
	if n := int(ordinal) + 1; n > len(l.at) {
		l.at = append(l.at, make([]labelAt, n-len(l.at))...)
	}
	begin := len(l.text)
	l.text = append(l.text, label...)
	l.at[ordinal] = labelAt{uint32(begin), uint32(len(l.text))}
}

// of returns the label of a player; one without has none.
func (l *labels) of(ordinal int32) []byte {
	if int(ordinal) >= len(l.at) {
		return nil
	}
	at := l.at[ordinal]
	return l.text[at.begin:at.end]
}

// labelsOf returns the labels of the players with the ordinals. From an eighth of the organisation's players on it reads
// the labels of all: a scan is faster than that many look-ups.
func (s *snapshot) labelsOf(ctx context.Context, ordinals []int32) (*labels, error) {
	if len(ordinals) == 0 {
		return &labels{}, nil
	}
	if last := ordinals[len(ordinals)-1]; len(ordinals) > 1000 && int(last) < 8*len(ordinals) {
		return s.labels(ctx)
	}
	return s.queryLabels(ctx, labelOfOrdinals, s.query.OrganisationID, s.meta.mode, ordinals)
}

// labelsOfFirst returns the labels of the players of the export's first plays, at most limit.
func (s *snapshot) labelsOfFirst(ctx context.Context, limit int) (*labels, error) {
	first, args := s.playsSQL(`select player`, []time.Time{s.query.Period.From}, []time.Time{s.query.Period.End()})
	args = append([]any{pgx.QueryExecModeCacheDescribe, pgx.QueryResultFormats{pgx.BinaryFormatCode}}, append(args, s.meta.mode)...)
	return s.queryLabels(ctx, fmt.Sprintf(`/* reports.firstLabels */ select ordinal, case $%d when 'nominative' then display_name else label end
		from players where org_id = $1 and ordinal in (%s limit %d)`, len(args)-2, first+exportOrder, limit), args...)
}

// labels returns the labels of all players whom the report may name.
func (s *snapshot) labels(ctx context.Context) (*labels, error) {
	batch := &pgx.Batch{}
	l := s.queueLabels(batch)
	return l, s.send(ctx, batch)
}

// queueLabels asks for the labels of all players whom the report may name: they are there once the batch is read.
func (s *snapshot) queueLabels(batch *pgx.Batch) *labels {
	l := &labels{}
	sql, args := labelSQL, []any{s.query.OrganisationID, s.meta.mode}
	if s.meta.grouped {
		sql, args = labelOfGroup, append(args, s.query.GroupID)
	}
	batch.Queue(sql, args...).Query(l.read)
	return l
}

func (s *snapshot) queryLabels(ctx context.Context, sql string, args ...any) (*labels, error) {
	rows, err := s.conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("reports: labels: %w", err)
	}
	l := &labels{}
	return l, l.read(rows)
}

// read takes ordinals, in PostgreSQL's binary format as pgx asks for it, and labels, which have but one form.
func (l *labels) read(rows pgx.Rows) error {
	defer rows.Close()
	for rows.Next() {
		v := rows.RawValues()
		l.put(int32(binary.BigEndian.Uint32(v[0])), v[1])
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reports: labels: %w", err)
	}
	return nil
}

// named returns what gives the label of a player as a part of one text.
func (l *labels) named() func(int32) string {
	text := string(l.text)
	return func(ordinal int32) string {
		if int(ordinal) >= len(l.at) {
			return ""
		}
		at := l.at[ordinal]
		return text[at.begin:at.end]
	}
}
